"""A small client made with the Python SDK: what an agent does in one visit.

    MCP_SERVER_URL=http://127.0.0.1:8000/mcp python visitor.py
    MCP_SERVER_COMMAND='node server.js' python visitor.py

Every step is told on standard output, every failure on standard error; the exit code is 1 when a step failed.
"""

import asyncio
import os
import shlex
import sys

import mcp_types as types
from mcp import Client, StdioServerParameters

CALLS = [
    ("search_invoices", {"customer": "acme", "limit": 3}),
    ("convert", {"reference": "Köln 42", "cents": 4200, "to": "USD", "exact": True}),
]


async def answer(context, params):
    """Answers a form by its schema, as a user would who agrees to all."""
    schema = getattr(params, "requested_schema", None)
    if schema is None:
        return types.ElicitResult(action="decline")
    values = {"boolean": True, "integer": 1, "number": 1, "string": "yes"}
    properties = schema.get("properties", {})
    content = {name: rule.get("enum", [values.get(rule.get("type"), "yes")])[0] for name, rule in properties.items()}
    return types.ElicitResult(action="accept", content=content)


async def visit(target):
    failures = 0

    async def step(name, work):
        nonlocal failures
        try:
            for line in await work():
                print(f"{name}: {line}")
        except Exception as error:
            failures += 1
            print(f"{name} failed: {type(error).__name__}: {error}", file=sys.stderr)

    async with Client(target, elicitation_callback=answer) as client:

        async def tools():
            names, cursor = [], None
            while True:
                page = await client.list_tools(cursor=cursor)
                names += [tool.name for tool in page.tools]
                cursor = page.next_cursor
                if cursor is None:
                    return names

        def call(name, arguments):
            async def work():
                result = await client.call_tool(name, arguments)
                texts = [block.text for block in result.content if hasattr(block, "text")]
                return ["tool error: " + text for text in texts] if result.is_error else texts

            return work

        async def read():
            first = (await client.list_resources()).resources[0]
            result = await client.read_resource(first.uri)
            return [item.text for item in result.contents]

        async def prompt():
            first = (await client.list_prompts()).prompts[0]
            result = await client.get_prompt(first.name)
            return [getattr(message.content, "text", message.content.type) for message in result.messages]

        await step("tool", tools)
        for name, arguments in CALLS:
            await step("call " + name, call(name, arguments))
        await step("tool again", tools)
        await step("resource", read)
        await step("prompt", prompt)
    return failures


def server():
    """Where the server is, or how it is started."""
    words = shlex.split(os.environ.get("MCP_SERVER_COMMAND", ""))
    return StdioServerParameters(command=words[0], args=words[1:]) if words else os.environ["MCP_SERVER_URL"]


if __name__ == "__main__":
    sys.exit(1 if asyncio.run(visit(server())) else 0)
