import re
from datetime import time
from pathlib import Path

import pytest
import yaml

from bot.config import Settings, load_settings, misspelt_secrets
from bot.config.explained import DELIVERED
from bot.config.secret_file import read_secrets
from bot.conversation.help import load_lines
from bot.errors import BadInput, ConfigError

ROOT = Path(__file__).parent.parent


def leaves(tree: dict[str, object], path: str = "") -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            found |= leaves(value, f"{path}{key}.")
        else:
            found[f"{path}{key}"] = list(value) if isinstance(value, tuple) else value
    return found


def reference() -> str:
    """The settings as SETTINGS.md shows them."""
    return (ROOT / "SETTINGS.md").read_text().partition("```yaml\n")[2].partition("```")[0]


def test_the_page_of_settings_holds_every_one_with_its_default() -> None:
    assert leaves(yaml.safe_load(reference())) == leaves(Settings().model_dump(mode="json"))


def test_the_page_of_settings_is_the_one_that_comes_with_the_program() -> None:
    assert (ROOT / "SETTINGS.md").resolve() == DELIVERED == ROOT / "bot" / "config" / "SETTINGS.md"


def test_a_file_with_every_setting_as_it_was_shipped_before_is_still_read(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(reference())
    assert load_settings(file, {}).in_folder(tmp_path) == load_settings(None, {}).in_folder(tmp_path).model_copy(
        update={"backup": load_settings(file, {}).backup}
    )


@pytest.mark.parametrize("text", [reference(), (ROOT / "bot" / "config" / "config.yaml").read_text()])
def test_every_line_says_why(text: str) -> None:
    lines = text.splitlines()
    bare = [line for line in lines if ":" in line and not line.lstrip().startswith("#") and "#" not in line]
    assert all(line.rstrip().endswith(":") for line in bare), bare


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("modle: {}", "'modle' is not a setting. Did you mean 'model'?"),
        ("model:\n  temprature: 1", "'model.temprature' is not a setting. Did you mean 'model.temperature'?"),
        ("model: {temperature: 9}", "'model.temperature' should be at most 2 (it is '9')"),
        ("model: {temperature: hot}", "'model.temperature' should be a number (it is 'hot')"),
        ("model: {quantization: q4}", "'model.quantization' should be 'auto', 'nf4', 'int8' or 'none' (it is 'q4')"),
        ("session: {beta_s: -1}", "'session.beta_s' should be more than 0"),
        ("session: {beta_s: true}", "'session.beta_s' should be a number, not true or false"),
        ("memory: {top_k: false}", "'memory.top_k' should be a number, not true or false"),
        ("session: {beta_s: 1e20}", "'session.beta_s' should be at most 315,360,000"),
        ("session: {beta_s: .inf}", "'session.beta_s' should be a number"),
        ("session: {beta_s: .nan}", "'session.beta_s' should be a number"),
        ("agent: 3", "'agent' should be a section with settings below it"),
        ("care: {times: []}", "'care.times' should be a list of 1 or more."),
        ("safety: {country: Germany}", "'safety.country' should be a country's two letters, such as DE"),
        ("owners: [bob]", "entry 1 of 'owners' should be somebody on a platform, such as \"discord:8"),
        ("owners: bob", "'owners' should be a list, such as"),
        ("care: {zone: Mars}", "'care.zone' should be a time zone such as Europe/Berlin"),
        ("privacy: {introduce: maybe}", "'privacy.introduce' should be true or false (it is 'maybe')"),
        ("model: {max_concurrent: 2.5}", "'model.max_concurrent' should be a whole number"),
        ("model: {id: a}\nagent: {name: B}\nmodel: {id: c}", "line 3: 'model' stands here twice"),
        ("safety:\n  enabled: true\n  enabled: false", "line 3: 'enabled' stands here twice"),
        ("discord: {token: abc}", "'discord.token' does not belong here. Write DISCORD_TOKEN=... into secrets.env"),
        ("- a", "should hold sections such as 'model:', with settings below them"),
        ("model: [", "line 1: a bracket is opened here and never closed"),
        ("log:\nagent: {name: 'Eve\n\n", "line 2: a quotation mark is opened here and never closed"),
        ("agent: {name: Eve\n", "line 1: a bracket is opened here and never closed"),
        ("agent:\n\tname: Eve", "line 2: a tab stands here: indent with spaces"),
        (
            "agent:\n  name: Eve: Ann",
            "line 2: is a colon missing on the line above, or quotation marks around",
        ),
        ("agent:\n  name: Eve\n card: x", "line 3: this line is not indented like the ones around it"),
        ("agent:\n  name\n  card: x", "line 3: is a colon missing on the line above"),
        ("discord_token: abc", "'discord_token' does not belong here. Write DISCORD_TOKEN="),
        ("TELEGRAM_TOKEN: abc", "'TELEGRAM_TOKEN' does not belong here. Write TELEGRAM_TOKEN="),
        ("secrets: {discord_token: abc}", "'secrets' does not belong here. Write DISCORD_TOKEN="),
        ("agent: {nmae: Eve}", "'agent.nmae' is not a setting. Did you mean 'agent.name'?"),
        ("agent: {temperature: 1}", "'agent.temperature' is not a setting. Did you mean 'model.temperature'?"),
        ("name: Eve", "'name' is not a setting. Did you mean 'agent.name' or 'model.remote.name'?"),
        ("backup: {recipient: xyz}", "'backup.recipient' should be a public key, which begins with age1"),
        ("backup: {recipient: AGE-SECRET-KEY-hidden}", "'backup.recipient' should be a public key"),
        (
            "memory: {top_k: 5}\nadvanced:\n  memory: {top_k: 6}",
            "'memory.top_k' stands there twice, once under 'advanced'",
        ),
        ("web: {url: foo}", "'web.url' should be an address without a path, such as https://hello.example"),
        ("web: {host: 0.0.0.0}", "'web.url' should be an https:// address that leads to web.host"),
        ("storage: {database_url: 'mysql://a:hidden@b/c'}", "'storage.database_url' should be postgresql+asyncpg://"),
        (
            "model: {remote: {replicas: [here]}}",
            "entry 1 of 'model.remote.replicas' should be an address such as http:",
        ),
        ("agent: {name: ''}", "'agent.name' should be a text of 1 or more characters"),
    ],
)
def test_a_wrong_file_is_answered_with_the_path_and_what_is_right(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError) as raised:
        load_settings(file, {})
    assert said in str(raised.value)
    assert str(file) in str(raised.value)
    assert "hidden" not in str(raised.value)


def test_what_is_no_text_of_settings_is_told(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="cannot be read: it is not a text in UTF-8"):
        load_settings(tmp_path / "config.yaml", {})
    with pytest.raises(ConfigError, match="cannot be read: it is a folder"):
        load_settings(tmp_path, {})
    (tmp_path / "config.yaml").write_text("model: [a]")
    with pytest.raises(ConfigError, match="'model' should be a section with settings below it: HELLO_AGAIN__MODEL__ID"):
        load_settings(tmp_path / "config.yaml", {"HELLO_AGAIN__MODEL__ID": "bundled"})


def test_a_slip_in_the_file_of_tokens_is_told(tmp_path: Path) -> None:
    file = tmp_path / "secrets.env"
    for line, said in (("DISCORD_TOKN=x", "Did you mean DISCORD_TOKEN?"), ("FOO=1", "Each line is NAME=VALUE")):
        file.write_text(f"# mine\n{line}\n")
        with pytest.raises(
            ConfigError, match=f"line 2: '{line.partition('=')[0]}' is not read here. {re.escape(said)}"
        ):
            read_secrets(file)


def test_what_is_nested_too_deeply_is_told_in_a_sentence(tmp_path: Path) -> None:
    deep = "[" * 20_000
    path = tmp_path / "config.yaml"
    path.write_text(f"agent: {deep}")
    with pytest.raises(ConfigError, match=r"config\.yaml is nested too deeply"):
        load_settings(path, {})
    with pytest.raises(ConfigError, match="HELLO_AGAIN__AGENT__NAME"):
        load_settings(None, {"HELLO_AGAIN__AGENT__NAME": deep})
    with pytest.raises(BadInput, match="nested too deeply"):
        load_lines(path)


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("model: {temperature: 9}\nsession: {beta_s: -1}")
    with pytest.raises(ConfigError) as raised:
        load_settings(file, {})
    assert len(str(raised.value).splitlines()) == 2


def test_the_environment_overrides_the_file_and_the_command_line_both(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("model: {id: small}\nagent: {name: Ada}")
    settings = load_settings(
        file, {"HELLO_AGAIN__MODEL__ID": "bundled", "HELLO_AGAIN__AGENT__NAME": "Eve"}, agent__name="Zoe"
    )
    assert settings.model.id == "bundled"
    assert settings.agent.name == "Zoe"


def test_an_unknown_variable_is_named() -> None:
    with pytest.raises(ConfigError, match=r"'model\.idd' is not a setting"):
        load_settings(None, {"HELLO_AGAIN__MODEL__IDD": "x"})


def test_a_number_may_be_written_as_yaml_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(
        "memory: {tau_s: 1e7}\nsession: {beta_s: 60, idle_check_s: 315360000}\nmodel: {max_concurrent: 2.0}"
    )
    settings = load_settings(file, {})
    assert (settings.memory.tau_s, settings.session.beta_s, settings.model.max_concurrent) == (1e7, 60.0, 2)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("MODEL__IDD", "x", "'model.idd' is not a setting"),
        ("MODEL__TEMPERATURE", "hot", "'model.temperature' should be a number"),
        ("MODEL__REMOTE__RETRIES", "-1", "'model.remote.retries' should be"),
        ("MODLE__ID", "x", "'modle' is not a setting"),
        ("AGENT__TRAITS", "[[]]", "entry 1 of 'agent.traits' should be a text"),
        ("MODEL", "{idd: x}", "'model.idd' is not a setting"),
    ],
)
def test_what_a_variable_got_wrong_is_not_blamed_on_the_file(tmp_path: Path, name: str, value: str, said: str) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("model: {id: bundled}\nsession: {beta_s: -1}")
    with pytest.raises(ConfigError) as raised:
        load_settings(file, {f"HELLO_AGAIN__{name}": value})
    blamed = dict(line.split(": ", 1) for line in str(raised.value).splitlines())
    assert blamed[f"The environment variable HELLO_AGAIN__{name}"].startswith(said)
    assert blamed[str(file)].startswith("'session.beta_s'")


def test_what_few_owners_touch_may_stand_under_advanced(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(
        "model: {id: a}\nadvanced:\n  model: {top_p: 0.5, remote: {retries: 1}}\n  memory: {gamma: 0.5}\n  queue:\n"
    )
    settings = load_settings(file, {})
    assert (settings.model.id, settings.model.top_p, settings.model.remote.retries) == ("a", 0.5, 1)
    assert settings.memory.gamma == 0.5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model: {id: a}\nadvanced: {model: {id: b}}", "'model.id' stands there twice, once under 'advanced'"),
        ("advanced: {model: {idd: b}}", "'model.idd' is not a setting. Did you mean 'model.id'?"),
        ("advanced: 3", "'advanced' should be a section"),
        ("advanced: {advanced: {}}", "'advanced' is not a setting"),
    ],
)
def test_what_is_wrong_under_advanced_is_told(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=re.escape(said)):
        load_settings(file, {})


@pytest.mark.parametrize("text", ["agent: {name: 007}", "agent:\n  name: '007'"])
def test_a_name_of_digits_stays_as_it_is_written(tmp_path: Path, text: str) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(text)
    assert load_settings(file, {}).agent.name == "007"
    assert load_settings(None, {"HELLO_AGAIN__AGENT__NAME": "007"}).agent.name == "007"


def test_what_yaml_would_read_as_a_number_or_a_time_is_what_the_setting_wants() -> None:
    named = {"MEMORY__FRAGMENTS__LENGTH": "1", "CARE__QUIET_UNTIL": "7:30", "BACKGROUND__DAILY_TOKENS": "1_000"}
    settings = load_settings(None, {f"HELLO_AGAIN__{name}": value for name, value in named.items()})
    assert settings.memory.fragments.length == "1"
    assert settings.care.quiet_until == time(7, 30)
    assert settings.background.daily_tokens == 1000


@pytest.mark.parametrize(
    ("name", "meant"), [("HELLO_AGAIN_MODEL_ID", "HELLO_AGAIN__MODEL__ID"), ("HELLO_AGAIN_XYZ", "SECTION__NAME")]
)
def test_a_variable_that_begins_like_ours_and_is_not_read_is_told(name: str, meant: str) -> None:
    with pytest.raises(ConfigError, match=f"{name} is not a setting.*{meant}"):
        load_settings(None, {name: "x"})


def test_a_misspelt_secret_is_told_unless_the_right_one_is_there() -> None:
    assert misspelt_secrets({"DISCORD_TOKN": "x"}) == [
        "The environment variable DISCORD_TOKN is not read. Did you mean DISCORD_TOKEN?"
    ]
    assert misspelt_secrets({"DISCORD_TOKN": "x", "DISCORD_TOKEN": "y"}) == []
    assert misspelt_secrets({"PATH": "x", "OPENAI_API_KEY": "y"}) == []


@pytest.mark.parametrize("name", ["safety.lines", "care.character_weights"])
def test_a_file_that_is_not_there_is_told(tmp_path: Path, name: str) -> None:
    section, key = name.split(".")
    file = tmp_path / "config.yaml"
    file.write_text(f"{section}: {{{key}: nix.yaml}}")
    with pytest.raises(ConfigError, match=f"'{name}' names a file that is not there: .*nix.yaml"):
        load_settings(file, {})
    (tmp_path / "nix.yaml").touch()
    load_settings(file, {})


def test_secrets_come_from_the_environment_and_are_never_shown() -> None:
    settings = load_settings(None, {"DISCORD_TOKEN": "very-secret", "MODEL_API_KEY": "key-secret"})
    assert settings.secrets.discord_token is not None
    assert settings.secrets.discord_token.get_secret_value() == "very-secret"
    assert "secret" not in repr(settings).replace("secrets", "").replace("SecretStr", "")
    assert "secrets" not in settings.model_dump()


def test_relative_folders_count_from_the_file(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("storage: {data_dir: here}")
    assert load_settings(file, {}).storage.data_dir == tmp_path / "here"
    assert str(tmp_path / "here" / "hello.db") in load_settings(file, {}).database_url


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no settings file"):
        load_settings(tmp_path / "nothing.yaml", {})


def test_settings_are_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Settings().model.id = "other"  # type: ignore[misc]  # the point of the test


def test_a_preset_fills_in_what_was_left_as_it_is() -> None:
    agent = load_settings(None, {}, agent__preset="matt").agent
    assert agent.name == "Matt"
    assert agent.card.startswith("a 32-year-old male fitness instructor, who ")
    own = load_settings(None, {}, agent__preset="elma", agent__card="a quiet one").agent
    assert (own.name, own.card) == ("Elma", "a quiet one")


@pytest.mark.parametrize("name", ["monica", "christine", "matt", "elma"])
def test_every_preset_is_a_whole_card(name: str) -> None:
    agent = load_settings(None, {}, agent__preset=name).agent
    assert agent.name == name.capitalize()
    assert agent.card != load_settings(None, {}).agent.card
    assert len(agent.card) <= 400


def test_people_can_have_presets_of_their_own(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(
        "agent:\n  preset: ada\n  max_words: 50\n  presets:\n    ada:\n      name: Ada\n      age: 80\n"
        "      identity: chess coach\n      description: cares how your games went\n      traits: [I play slowly.]\n"
        "    bot: {name: Bo, identity: old friend}\n"
    )
    agent = load_settings(file, {}).agent
    assert (agent.name, agent.card) == ("Ada", "an 80-year-old chess coach, who cares how your games went")
    assert (agent.traits, agent.max_words) == (("I play slowly.",), 50)
    assert load_settings(file, {"HELLO_AGAIN__AGENT__PRESET": "bot"}).agent.card == "an old friend"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("agent: {preset: mona}", "'agent.preset' should be monica, christine, matt, elma, or nothing"),
        ("agent: {preset: mona, presets: {ada: {name: Ada}}}", "matt, elma, ada, or nothing"),
        ("agent: {presets: {ada: {age: 40}}}", "'agent.presets.ada.name' is missing"),
        ("agent: {presets: {ada: {name: Ada, agee: 40}}}", "'agent.presets.ada.agee' is not a setting"),
    ],
)
def test_a_wrong_preset_is_said(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError) as raised:
        load_settings(file, {})
    assert said in str(raised.value)


def test_a_model_server_that_is_named_twice_is_one() -> None:
    one, other = "http://10.0.0.1/v1", "http://10.0.0.2/v1"
    settings = load_settings(None, {}, model__remote={"base_url": one, "name": "m", "replicas": [other, one, other]})
    assert settings.model.remote.urls == (one, other)
