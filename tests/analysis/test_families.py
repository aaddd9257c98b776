"""Whose models are of one family: those of one maker, or those that a table says, and never those of one host."""

from types import SimpleNamespace

import pytest

from selfexec.analysis.makers import MAKERS, MODELS, ORGANISATIONS, families_elsewhere, family_of
from selfexec.analysis.own_excess import families_of
from selfexec.engines.http.providers import PROVIDERS
from selfexec.metrics.own_excess.compared import same_family

UNRELATED = ("good", "mid", "bad", "llama-3-8b", "gemma-3-9b", "mistral-7b")
MAKERS_PROVIDERS = {
    "openai": "openai",
    "anthropic": "anthropic",
    "google": "google",
    "mistral": "mistral",
    "deepseek": "deepseek",
    "xai": "xai",
}
HOSTS = [name for name in PROVIDERS if name not in MAKERS_PROVIDERS]


def pairs_of_one_family(models: list[str]) -> int:
    """How many pairs are of one family, by the names alone."""
    return int(same_family(list(families_of(models, ()).values())).sum()) // 2


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_provider_is_a_family_only_where_all_its_models_are_its_own(provider: str) -> None:
    # "x1" is nobody's name: what is known of it is known by the provider
    assert family_of(f"{provider}/x1") == MAKERS_PROVIDERS.get(provider)


@pytest.mark.parametrize("host", [*HOSTS, "a", "xvllm", "my-server", "10.0.0.1:8000", "inspect/vllm", "local", "sim"])
def test_no_two_unrelated_models_of_one_host_are_of_one_family(host: str) -> None:
    assert pairs_of_one_family([f"{host}/{name}" for name in UNRELATED]) == 0


@pytest.mark.parametrize("host", [*PROVIDERS, "a", "inspect/openai", "inspect/vllm"])
def test_a_model_that_is_known_by_its_own_name_is_its_makers_under_every_provider(host: str) -> None:
    assert family_of(f"{host}/llama-3-8b") == family_of(f"{host}/meta-llama/Llama-3") == "meta"


@pytest.mark.parametrize(
    "path",
    [
        "fireworks/accounts/fireworks/models/{}",
        "local//home/me/weights/{}",
        "local/./models/{}",
        "local/../{}",
        "a/models/{}",
        "azure/deployments/{}",
        "azure/my-team/{}",
        "ollama/somebody/{}",
        "local/store/{}",
    ],
)
def test_a_place_in_a_path_is_no_maker(path: str) -> None:
    assert pairs_of_one_family([path.format(name) for name in UNRELATED]) == 0


def test_the_organisation_in_a_name_is_the_maker_at_whatever_host() -> None:
    assert family_of("vllm/acme/foundry-7b") == family_of("openrouter/Acme/forge") == "acme"
    assert family_of("vllm/acme/foundry-7b") != family_of("vllm/apex/foundry-7b")


@pytest.mark.parametrize("host", ["vllm", "sglang", "openrouter", "together", "groq", "nvidia", "huggingface"])
def test_six_models_of_one_server_are_six_families_where_their_makers_differ(host: str) -> None:
    models = [f"{host}/{maker}/model-7b" for maker in "abcdef"]
    assert [*families_of(models, ()).values()] == list("abcdef") and pairs_of_one_family(models) == 0
    assert pairs_of_one_family([*models, f"{host}/a/another"]) == 1


def test_one_who_hands_on_a_model_whose_name_is_known_is_not_its_maker() -> None:
    assert family_of("vllm/unsloth/Llama-3.1-8B") == "meta" and family_of("vllm/unsloth/Qwen3-8B") == "qwen"


@pytest.mark.parametrize(
    ("model", "maker"),
    [
        ("gpt-4.1", "openai"),
        ("o4-mini", "openai"),
        ("openai/gpt-6-luna", "openai"),
        ("azure/gpt-4o", "openai"),
        ("groq/openai/gpt-oss-120b", "openai"),
        ("claude-3.5-haiku", "anthropic"),
        ("inspect/bedrock/us.anthropic.claude-3", "anthropic"),
        ("inspect/bedrock/us.meta.x1-instruct", "meta"),
        ("vertex/publishers/google/models/x1", "google"),
        ("together/mistralai/Mixtral-8x7B", "mistral"),
        ("ollama/qwen2.5:7b", "qwen"),
        ("openrouter/deepseek/deepseek-r1-distill-qwen-32b", "deepseek"),
        ("local/HuggingFaceTB/SmolLM2-135M", "huggingface"),
        ("vllm/microsoft/phi-4", "microsoft"),
        ("7b", None),
        ("vllm/optimist", None),
        ("vllm/open", None),
        ("vllm/olive", None),
        ("vllm/oak-2", None),
        ("", None),
        ("/", None),
        ("vllm/", None),
    ],
)
def test_well_known_names_tell_their_makers(model: str, maker: str | None) -> None:
    assert family_of(model) == maker


def test_no_organisation_is_two_makers_and_no_makers_name_is_anothers_model() -> None:
    assert len(ORGANISATIONS) == sum(len(known.organisations) for known in MAKERS.values())
    for organisation, maker in ORGANISATIONS.items():
        assert {other for other, pattern in MODELS.items() if pattern.match(organisation)} <= {maker}


def test_a_table_of_families_comes_before_names() -> None:
    groups = {"vllm/good": "one", "vllm/mid": "one", "openai/gpt-6": "two"}
    assert families_of(["vllm/good", "vllm/mid", "openai/gpt-6", "openai/gpt-7"], (), groups) == {
        "vllm/good": "one",
        "vllm/mid": "one",
        "openai/gpt-6": "two",
        "openai/gpt-7": "openai",
    }


def test_a_makers_name_before_the_slash_says_nothing_of_models_that_another_server_served() -> None:
    home, other = PROVIDERS["openai"].base_url, "http://localhost:8000/v1"
    asked = {"openai/good": other, "openai/mid": other, "openai/gpt-6": other, "openai/x1": home, "vllm/bad": other}
    run = SimpleNamespace(
        manifest=SimpleNamespace(invocations=[SimpleNamespace(addresses=asked)]), simulated=frozenset[str]()
    )
    elsewhere = families_elsewhere([run])  # type: ignore[list-item]
    assert elsewhere == {"openai/good": None, "openai/mid": None}
    families = families_of(asked, (), elsewhere)
    assert [families[model] for model in asked] == [None, None, "openai", "openai", None]
