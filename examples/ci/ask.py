# SPDX-License-Identifier: MIT
"""Asks the server of sluice.mcp one thing, as an agent does: ask.py FOLDER TOOL NAME=VALUE..."""
import json
import subprocess
import sys

folder, tool, *words = sys.argv[1:]
server = subprocess.Popen([sys.executable, "-m", "sluice.mcp", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(number, method, **params):
    print(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}), file=server.stdin, flush=True)
    return json.loads(server.stdout.readline())["result"]


ask(1, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "ask", "version": "1"})
answer = ask(2, "tools/call", name=tool, arguments=dict(word.split("=", 1) for word in words))
print(answer["content"][0]["text"])
server.stdin.close()
