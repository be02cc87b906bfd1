"""`lab evaluate companion`: short conversations with patterns, played through the whole product.

`talk/` holds the project's own conversations: `open/` is for whoever writes prompts, `kept/` is for judging.
"""
