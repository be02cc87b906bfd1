from pathlib import Path

import pytest
import yaml

from bot.config import Settings, load_settings
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


def test_the_shipped_file_holds_every_setting_with_its_default() -> None:
    written = leaves(yaml.safe_load((ROOT / "config.yaml").read_text()))
    assert written == leaves(Settings().model_dump(mode="json"))


def test_every_line_of_the_shipped_file_says_why() -> None:
    lines = (ROOT / "config.yaml").read_text().splitlines()
    bare = [line for line in lines if ":" in line and not line.lstrip().startswith("#") and "#" not in line]
    assert all(line.rstrip().endswith(":") for line in bare), bare


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("modle: {}", "'modle' is not a setting. Did you mean 'model'?"),
        ("model:\n  temprature: 1", "'model.temprature' is not a setting. Did you mean 'temperature'?"),
        ("model: {temperature: 9}", "'model.temperature' should be less than or equal to 2 (it is 9)"),
        ("model: {temperature: hot}", "'model.temperature' should be a valid number"),
        ("model: {quantization: q4}", "'model.quantization' should be 'auto', 'nf4', 'int8' or 'none' (it is 'q4')"),
        ("session: {beta_s: -1}", "'session.beta_s' should be greater than 0"),
        ("session: {beta_s: true}", "'session.beta_s' should be a number, not true or false"),
        ("memory: {top_k: false}", "'memory.top_k' should be a number, not true or false"),
        ("session: {beta_s: 1e20}", "'session.beta_s' should be less than or equal to 315360000"),
        ("session: {beta_s: .inf}", "'session.beta_s' should be"),
        ("session: {beta_s: .nan}", "'session.beta_s' should be"),
        ("agent: 3", "'agent' should be"),
        ("- a", "should hold sections"),
        ("model: [", "line 1"),
        ("discord_token: abc", "does not belong in the file"),
        ("secrets: {discord_token: abc}", "does not belong in the file"),
    ],
)
def test_a_wrong_file_is_answered_with_the_path_and_what_is_right(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError) as raised:
        load_settings(file, {})
    assert said in str(raised.value)
    assert str(file) in str(raised.value)


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
        ("MODEL__TEMPERATURE", "hot", "'model.temperature' should be a valid number"),
        ("MODEL__REMOTE__RETRIES", "-1", "'model.remote.retries' should be"),
        ("MODLE__ID", "x", "'modle' is not a setting"),
        ("AGENT__TRAITS", "[1]", "'agent.traits.0' should be"),
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
        ("agent: {preset: mona}", "agent.preset: monica, christine, matt, elma, or nothing"),
        ("agent: {preset: mona, presets: {ada: {name: Ada}}}", "matt, elma, ada, or nothing"),
        ("agent: {presets: {ada: {age: 40}}}", "'agent.presets.ada.name' should be"),
        ("agent: {presets: {ada: {name: Ada, agee: 40}}}", "'agent.presets.ada.agee' is not a setting"),
    ],
)
def test_a_wrong_preset_is_said(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError) as raised:
        load_settings(file, {})
    assert said in str(raised.value)
