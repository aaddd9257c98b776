"""Options that take several values at once: `--readings a.jsonl b.jsonl`, as a shell writes `--readings *.jsonl`."""

import click


class Variadic(click.Command):
    """A command whose repeatable options may also be given once, with several values behind them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        repeatable = {
            name
            for option in self.params
            if isinstance(option, click.Option) and option.multiple
            for name in option.opts
        }
        spread: list[str] = []
        current = None
        for position, arg in enumerate(args):
            if arg.startswith("-") and len(arg) > 1:
                current = arg if arg in repeatable else None
                spread.append(arg)
            elif current and args[position - 1] != current:
                spread += [current, arg]
            else:
                spread.append(arg)
        return super().parse_args(ctx, spread)
