"""Things of the world as Discord writes them in JSON. Pure."""

from __future__ import annotations

from tests.platform.discord_server.world import (
    ADMINISTRATOR,
    JSON,
    MANAGE_MESSAGES,
    PERMISSIONS,
    Channel,
    Guild,
    Message,
    User,
    World,
)

_JOINED = "2024-01-01T00:00:00.000000+00:00"


def user(one: User) -> JSON:
    """A user object."""
    return {
        "id": str(one.id),
        "username": one.name,
        "discriminator": "0",
        "global_name": one.global_name,
        "avatar": None,
        "bot": one.bot,
        "public_flags": 0,
        "flags": 0,
    }


def member(guild: Guild, one: User, *, alone: bool = False) -> JSON:
    """A member object; `alone`: with its user, and the permissions that interactions show."""
    written: JSON = {
        "nick": guild.nicks.get(one.id),
        "avatar": None,
        "roles": [str(guild.bot_role)] if one.bot and not one.name.startswith("other") else [],
        "joined_at": _JOINED,
        "premium_since": None,
        "deaf": False,
        "mute": False,
        "flags": 0,
        "pending": False,
    }
    if alone:
        written["user"] = user(one)
        if one.bot and guild.joined is not None:
            written["joined_at"] = guild.joined.isoformat()
        written["permissions"] = str(permissions(guild, one))
    return written


def permissions(guild: Guild, one: User) -> int:
    """What somebody may do in a server."""
    manages = one is guild.owner or one.id in guild.managers
    return PERMISSIONS | (ADMINISTRATOR | MANAGE_MESSAGES | (1 << 5) | (1 << 4) if manages else 0)


def role(role_id: int, name: str, bot: User | None = None, allowed: int = PERMISSIONS) -> JSON:
    """A role object."""
    return {
        "id": str(role_id),
        "name": name,
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "position": 0 if bot is None else 1,
        "permissions": str(allowed),
        "managed": bot is not None,
        "mentionable": False,
        "flags": 0,
        "tags": {} if bot is None else {"bot_id": str(bot.id)},
    }


def channel(one: Channel) -> JSON:
    """A channel, thread or DM object."""
    last = None if one.last_message_id is None else str(one.last_message_id)
    if one.recipient is not None:
        return {"id": str(one.id), "type": 1, "recipients": [user(one.recipient)], "last_message_id": last, "flags": 0}
    assert one.guild is not None
    written: JSON = {
        "id": str(one.id),
        "guild_id": str(one.guild.id),
        "name": one.name,
        "last_message_id": last,
        "rate_limit_per_user": 0,
        "flags": 0,
    }
    if one.parent is None:
        hidden = {"id": str(one.guild.id), "type": 0, "allow": "0", "deny": str(1 << 10)}
        let_in = {"id": str(one.guild.bot_role), "type": 0, "allow": str(1 << 10), "deny": "0"}
        overwrites = [] if one.readable and one.public else [hidden, let_in] if one.readable else [hidden]
        return written | {
            "type": 0,
            "position": 0,
            "topic": None,
            "nsfw": False,
            "parent_id": None,
            "permission_overwrites": overwrites,
            **one.more,
        }
    return written | {
        "type": 11 if one.public else 12,
        "parent_id": str(one.parent.id),
        "owner_id": str(one.guild.owner.id),
        "message_count": 0,
        "member_count": 1,
        "thread_metadata": {
            "archived": False,
            "auto_archive_duration": 1440,
            "archive_timestamp": _JOINED,
            "locked": False,
            "create_timestamp": _JOINED,
        },
    }


def guild(world: World, one: Guild, *, everyone: bool = False) -> JSON:
    """The content of GUILD_CREATE; `everyone`: with all members, which only a privileged intent gets."""
    inside = [known for known in world.channels.values() if known.guild is one and not known.deleted]
    members = [known for known in one.members.values() if everyone or known is world.bot]
    return {
        "id": str(one.id),
        "name": one.name,
        "owner_id": str(one.owner.id),
        "icon": None,
        "unavailable": False,
        "member_count": len(one.members),
        "large": False,
        "joined_at": _JOINED,
        "roles": [role(one.id, "@everyone", None, one.everyone), role(one.bot_role, world.bot.name, world.bot)],
        "emojis": [],
        "stickers": [],
        "features": [],
        "members": [member(one, known, alone=True) for known in members],
        "channels": [channel(known) for known in inside if known.parent is None],
        "threads": [channel(known) for known in inside if known.parent is not None and known.parent.readable],
        "presences": [],
        "voice_states": [],
        "stage_instances": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
        "preferred_locale": "en-US",
        "verification_level": 0,
        "default_message_notifications": 0,
        "explicit_content_filter": 0,
        "mfa_level": 0,
        "nsfw_level": 0,
        "premium_tier": 0,
        "system_channel_flags": 0,
        "system_channel_id": None if one.system_channel is None else str(one.system_channel),
        "rules_channel_id": None,
        "public_updates_channel_id": None,
        "afk_channel_id": None,
        "afk_timeout": 0,
    }


def _attachments(one: Message) -> list[JSON]:
    written = []
    for place, file in enumerate(one.attachments):
        url = f"http://127.0.0.1/attachments/{one.id}/{place}/{file.name}"
        entry: JSON = {
            "id": str(one.id + place + 1),
            "filename": file.name,
            "size": file.size,
            "url": url,
            "proxy_url": url,
            "content_type": file.content_type,
        }
        if file.voice:
            entry |= {"duration_secs": 2.5, "waveform": "AAAA"}
        written.append(entry)
    return written


def message(world: World, one: Message, *, inner: bool = False) -> JSON:
    """A message object as events and answers have it; `inner`: as the `referenced_message` of another."""
    here = one.channel.guild
    written: JSON = {
        "id": str(one.id),
        "channel_id": str(one.channel.id),
        "type": 0 if one.reference is None else 19,
        "author": user(one.author),
        "content": one.content,
        "timestamp": one.at.isoformat(),
        "edited_timestamp": None if one.edited_at is None else one.edited_at.isoformat(),
        "tts": False,
        "mention_everyone": one.everyone,
        "mentions": [
            user(named) | ({"member": member(here, named)} if here is not None else {}) for named in one.mentions
        ],
        "mention_roles": [str(named) for named in one.role_mentions],
        "attachments": _attachments(one),
        "embeds": [],
        "components": one.components,
        "pinned": False,
        "flags": one.flags | (1 << 13 if any(file.voice for file in one.attachments) else 0),
        "channel_type": 1 if one.channel.recipient else (0 if one.channel.parent is None else 11),
    }
    if here is not None:
        written |= {"guild_id": str(here.id), "member": member(here, one.author)}
    if one.reference is not None:
        target: JSON = {"type": 0, "message_id": str(one.reference), "channel_id": str(one.channel.id)}
        written["message_reference"] = target | ({"guild_id": str(here.id)} if here is not None else {})
        answered = world.messages.get(one.reference)
        if not inner:
            written["referenced_message"] = None if answered is None else message(world, answered, inner=True)
    return written | one.extra


def history_message(world: World, one: Message) -> JSON:
    """A message as the history has it: what only events carry is not there."""
    written = message(world, one)
    for only_in_events in ("guild_id", "member", "channel_type"):
        written.pop(only_in_events, None)
    return written


def application(world: World) -> JSON:
    """The answer to GET /oauth2/applications/@me."""
    return {
        "id": str(world.bot.id),
        "name": world.bot.name,
        "description": "",
        "icon": None,
        "bot_public": False,
        "bot_require_code_grant": False,
        "owner": user(world.owner),
        "verify_key": "0" * 64,
        "team": None,
        "summary": "",
        "flags": 1 << 19,
        "tags": [],
        "interactions_endpoint_url": None,
    }
