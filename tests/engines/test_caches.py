"""What says that a reply came from a cache, and what does not, by headers and by fields of bodies."""

from typing import Any

import pytest
from test_ends import OWN, of_body, of_stream, places_in, streamed, whole
from test_failures_within import USUAL, piece_of
from test_gateways import BODIES, asked, quick_and_without_keys, sending
from test_streams import asked as asked_in_pieces
from test_streams import delta, events
from test_streams import sending as streaming

from selfexec.engines.http.bodies import CachedReply
from selfexec.engines.http.gateways import cached_by, cached_in
from selfexec.errors import InputError
from sockets import completion

__all__ = ["quick_and_without_keys"]
NAMES = (
    "X-Cache",
    "x-cache-status",
    "cf-cache-status",
    "X-Any-Cache-Result",
    "x-from-cache",
    "x-cached",
    "x_any_cache",
)


@pytest.mark.parametrize("name", [*NAMES, "x-semantic-cache", "Cache-Status"])
def test_values_of_a_header_that_tells_how_a_cache_fared(name: str) -> None:
    for old in ("HIT", "stale", "UPDATING", "Revalidated", "true", "1", "YES", "MISS, STALE", "STALE from proxy"):
        assert cached_by({name: old}), old
    fresh = "MISS,bypass,Dynamic,NONE,expired,false,0,no,disabled,off,pass,skip,,MISS from proxy,not stale,fwd=stale"
    for value in (*fresh.split(","), "Edge; fwd=uri-miss; stored; ttl=1", "hit=false", "who knows", "2024-01-01"):
        assert cached_by({name: value}) is None, value


def test_counts_of_hits_and_ages_of_each_cache_on_the_way() -> None:
    for name, old, fresh in (
        ("X-Cache-Hits", ("1", "0, 3", "hit"), ("0", "0, 0", "", "none")),
        ("Age", ("1", "0, 60", "12.5", "0.5", "60, 0"), ("0", "0, 0", "0.0", "-5", "soon", "1e3")),
        ("Idempotent-Replayed", ("true", "True"), ("false", "")),
    ):
        assert all(cached_by({name: value}) for value in old), name
        assert not any(cached_by({name: value}) for value in fresh), name


def test_caches_of_prompts_keys_and_what_was_asked_for_are_no_replies() -> None:
    names = ("x-cache-key", "cache-control", "cdn-cache-control", "x-prompt-cache-status", "x-cached-tokens")
    for name in (*names, "x-kv-cache", "x-prompt-cache-hits", "x-cached-input-tokens"):
        assert not any(cached_by({name: value}) for value in ("hit", "true", "1", "stale", "7")), name
    for name in ("x-cache-enabled", "cf-aig-skip-cache", "x-no-cache", "x-cache-ttl", "x-cache-group", "x-use-cache"):
        assert not any(cached_by({name: value}) for value in ("true", "1", "stale", "7")), name


def test_fields_of_a_body() -> None:
    for name in ("cached", "cache_hit", "from_cache"):
        assert all(cached_in({name: value}) for value in (True, 1, "true", "HIT", "yes", "stale"))
        assert not any(cached_in({name: value}) for value in (False, 0, None, "", "no", "miss", 7, {}, "prompt"))
    assert cached_in({"_meta": {"cache": {"status": "hit"}}})
    assert not any(cached_in({"_meta": meta}) for meta in (None, {}, {"cache": "x"}, {"cache": {"status": "MISS"}}))
    assert cached_in({"cached_tokens": 5, "usage": {"cached": True, "cache_read_input_tokens": 5}}) is None


@pytest.mark.parametrize("wire", BODIES)
def test_a_reply_that_says_so_itself_stops_the_run(wire: Any) -> None:
    with pytest.raises(InputError, match="the field cached says so"):
        asked(sending({**BODIES[wire], "cached": True}), wire=wire)
    assert asked(sending({**BODIES[wire], "cached": False}), wire=wire)[0].text == "Hi"


def test_a_stream_that_says_so_stops_the_run_and_counts_of_prompts_do_not() -> None:
    pieces = [delta(content="Hi"), delta("stop")]
    with pytest.raises(InputError, match="the field cache_hit says so"):
        asked_in_pieces(streaming(events(pieces[0] | {"cache_hit": True}, pieces[1])))
    counts = {"prompt_tokens": 9, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 8}}
    assert asked(sending(completion() | {"usage": counts}, x_cached_tokens="8"))[0].text == "Hi"


MARKS: list[dict[str, Any]] = [
    *({name: True} for name in ("cacheHit", "fromCache", "isCached", "is_cached", "Cached", "cached_response")),
    *({name: True} for name in ("replayed", "isReplayed", "stale", "served_from_cache", "semantic_cache_hit")),
    *({name: "HIT"} for name in ("cache_status", "cacheStatus", "x_cache", "cache", "cacheResult", "CACHE_STATUS")),
    *({"cache": {"hit": True}}, {"cache": {"status": "hit"}}, {"semanticCache": {"result": "HIT"}}),
    *({name: "cache"} for name in ("source", "provider", "served_by", "response_source", "servedFrom", "backend")),
    *({"provider": value} for value in ("semantic-cache", "Redis cache", "cached", "local_cache", "GPTCache")),
    *({"metadata": {"source": "cache"}}, {"deduplicated": True}, {"coalesced": True}, {"origin": "cache/replay"}),
    *({"gptcache": True}, {"GPTCache": "HIT"}, {"cacheStatus": "fresh"}, {"cache_status": "from cache"}),
    # how long it is there, and since when
    *({"cached_at": "2026-01-01"}, {"cachedAt": 1_790_000_000}, {"cache_age": 300}, {"metadata": {"cache_age": 1.5}}),
    *({"metadata": {"cached": True}}, {"_hidden_params": {"cache_hit": "true"}}, {"meta": [{"cache": {"hit": "yes"}}]}),
]
CALM: list[dict[str, Any]] = [
    *(
        {name: value}
        for name in ("cacheHit", "isCached", "stale", "cache_status")
        for value in (False, None, "", "MISS")
    ),
    *({"provider": value} for value in ("Amazon Bedrock", "no-cache", "cache-fra-eddf8230-FRA", "Cachet AI")),
    *(
        {"source": value}
        for value in ("cache miss", "not cached", "prompt cache", "kv-cache", "uncached", "", None, True)
    ),
    *({"model": "org/cached-7b"}, {"id": "cache-1"}, {"owned_by": "cache"}, {"system_fingerprint": "fp_cache"}),
    *({"source": "The answer stands in the cache of the server, from where it came."}, {"allowed_source": "cache"}),
    *({"cache": True}, {"cache": {"enabled": True}}, {"cache_control": {"type": "ephemeral"}}, {"cache_key": "hit"}),
    *({"cached_tokens": 1}, {"tokens_cached": 1}, {"metadata": {"cached": 1}}, {"prompt_cache_key": "hit"}),
    *({"prompt_cache": {"hit": True}}, {"cachedContent": "hit"}, {"cache_hits": 1}, {"cached_at": ""}),
    *({"cached_at": None}, {"cache_age": 0}, {"prompt_cache_age": 300}, {"cache_expires_at": "2026-01-01"}),
    *({"nocache": True}, {"usecache": True}, {"promptcache": "HIT"}, {"cache_max_age": 300}, {"cache_ttl": 300}),
    {"usage": {"cache_read_input_tokens": 1, "cache_creation": {"x": 1}, "prompt_tokens_details": {"cached": True}}},
    {"usageMetadata": {"cachedContentTokenCount": 1, "cacheTokensDetails": [{"tokenCount": 1}]}},
]


def places_with(wire: Any, field: dict[str, Any]) -> list[dict[str, Any]]:
    """A whole body with a field at each of its places in turn."""
    found = []
    for at in range(3):
        body = whole(wire, "Hello", next(iter(OWN[wire])))
        places = places_in(wire, body)
        if at < (1 if wire == "anthropic" else len(places)):  # whose other objects are what the model wrote
            places[at].update(field)
            found.append(body)
    return found


@pytest.mark.parametrize("wire", BODIES)
@pytest.mark.parametrize("field", MARKS, ids=repr)
def test_a_mark_of_a_cache_is_known_by_the_words_of_its_name_wherever_it_stands(wire: Any, field: Any) -> None:
    for body in places_with(wire, field):
        assert cached_in(body)
    with pytest.raises(CachedReply):
        of_body(wire, places_with(wire, field)[0])
    with pytest.raises(CachedReply):
        of_stream(wire, streamed(wire, "Hello", next(iter(OWN[wire])), early=[piece_of(wire, field)]))


@pytest.mark.parametrize("wire", BODIES)
@pytest.mark.parametrize("field", CALM, ids=repr)
def test_counts_settings_and_caches_of_prompts_are_no_marks(wire: Any, field: Any) -> None:
    assert not any(map(cached_in, places_with(wire, field)))
    for found in (
        of_body(wire, places_with(wire, field)[0]),
        of_stream(wire, streamed(wire, "Hello", next(iter(OWN[wire])), early=[piece_of(wire, field)])),
    ):
        assert found and (found.text, found.error) == ("Hello", None)


def test_what_the_model_wrote_of_caches_is_no_mark() -> None:
    text = '{"cached": true, "cache": {"hit": true}, "stale": "HIT"}'
    for wire in OWN:
        done = next(iter(OWN[wire]))
        for found in (of_body(wire, whole(wire, text, done)), of_stream(wire, streamed(wire, text, done))):
            assert found and found.text == text
    for case in USUAL:
        assert cached_in(case["body"]) is None, case["name"]


@pytest.mark.parametrize("name", ["X-Cache", "x-cache-status", "X-GPTCache", "X-Rack-Cache", "x-tyk-cached-response"])
def test_words_for_a_cache_and_for_a_hit_of_any_kind(name: str) -> None:
    for old in (
        *("CACHED", "FROM_CACHE", "from cache", "fresh", "semantic", "RefreshHit from cloudfront", "TCP_REFRESH_HIT"),
        *("1", "true", "POST /v1: fresh", "SEMANTIC_HIT"),
    ):
        assert cached_by({name: old}), old
    for fresh in (
        *(
            "HIT-FOR-PASS",
            "hit for pass",
            "HIT_FOR_MISS",
            "RefreshMiss",
            "MISS from cache.example.org",
            "CONFIG_NOCACHE",
        ),
        *("uncacheable", "stored in cache", "cache write", "no-cache", "not cached", "nohit", "0", "prompt cache"),
    ):
        assert cached_by({name: fresh}) is None, fresh


def test_a_time_that_a_server_tells_of_a_cache_says_how_it_fared() -> None:
    for value in (
        "cdn-cache; desc=HIT",
        'app;dur=5, cfCacheStatus;desc="HIT"',
        "cache;desc=hit;dur=0.2",
        "cache-hit;dur=1",
    ):
        assert cached_by({"Server-Timing": value}), value
    for value in (
        *("cache;desc=miss, gfet4t7; dur=300", "inner; dur=500, cdn-cache;desc=MISS, edge;dur=0", "cache;dur=3"),
        *("kv-cache;desc=hit", "prompt-cache; desc=HIT", 'app;desc="hit"', "", ";", "cache-miss"),
    ):
        assert cached_by({"Server-Timing": value}) is None, value


def test_an_age_and_a_date_of_a_cache_say_that_it_had_the_reply() -> None:
    for name, value in (
        *(("X-Cache-Age", "300"), ("X-Cached-At", "2026-11-01T00:00:00Z"), ("CDN-CachedAt", "11/24/2026 10:00:00")),
        *(("X-Cache-Date", "Mon, 23 Nov 2026 10:00:00 GMT"), ("x-cached-at", "1790000000")),
    ):
        assert cached_by({name: value}), name
    for name, value in (
        *(("X-Cache-Age", "0"), ("X-Cached-At", ""), ("X-Cached-At", "never"), ("X-Cache-Max-Age", "300")),
        *(
            ("X-Cached-At", "0"),
            ("X-Swift-CacheTime", "300"),
            ("x-prompt-cache-age", "300"),
            ("X-Cache-Expires-At", "1790000000"),
        ),
    ):
        assert cached_by({name: value}) is None, name
    miss = {"CDN-Cache": "BYPASS", "CDN-CachedAt": "11/24/2026 10:00:00"}
    assert cached_by(miss) is None and cached_by({**miss, "CDN-Cache": "HIT"}) and cached_by({**miss, "Age": "5"})
