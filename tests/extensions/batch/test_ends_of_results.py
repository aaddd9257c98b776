"""A result of a batch ends as a reply over HTTP does."""

from engines.test_ends import FORMATS, HERE, OWN, whole
from selfexec.extensions.batch.forms import BatchResult, call_result


@FORMATS
def test_the_result_of_a_batch_ends_as_a_reply_over_http_does(wire: str) -> None:
    form = {"responses": "openai"}.get(wire, wire)
    for word, text in ((next(iter(OWN[wire])), "Hello"), ("strange", None), ("error", None)):
        result = BatchResult("id", form, 200, whole(wire, "Hello", word))
        found = call_result(result, "x/m", HERE, wire)  # type: ignore[arg-type]
        assert (found.text, found.error is None) == (text, text is not None)
        assert found.unknown_end == (word if word == "strange" else None)
