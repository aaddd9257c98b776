import json
from pathlib import Path
import selfexec as sx
from build import part_of
from test_sentences import PINNED, sentences
def test_regen(ten_models, whole_panel, tmp_path):
    out = {}
    for key in PINNED:
        kind, rest = key.split(" ", 1)
        if key == "recorded gpt-4.1 beside the panel":
            out[key] = sentences(part_of(ten_models, models=["gpt-4.1"]), "strict", None)
        elif kind == "recorded":
            names, convention = rest.rsplit(" ", 1)
            run = ten_models if names == "all" else part_of(ten_models, models=names.split())
            out[key] = sentences(run, convention)
        else:
            names, limit = rest.rsplit(" ", 1)
            run = whole_panel if names == "all" else sx.run(names.split(), limit=None if limit == "whole" else int(limit), out=tmp_path / key.replace(" ", "_").replace("/", "-"))
            out[key] = sentences(run, "strict")
    Path(__file__).with_name("sentences.json").write_text(json.dumps(out, indent=1, ensure_ascii=False) + "\n", "utf-8")
