# SPDX-License-Identifier: MIT
"""A server of the Model Context Protocol: what Sluice says of kernels, for programs that write kernels.

    python3 -m sluice.mcp [FOLDER] [--seconds N] [--memory GIB] [--nvcc PATH]

It speaks JSON-RPC, a message per line, over standard input and output, and needs nothing but Python and sluice. Paths of
calls are relative to FOLDER (default: the current one), and files outside of it are refused. Each call ends after N
seconds (default: 300) and when the processes it started hold more than GIB of memory (default: 8). The programs that it
runs are not confined beyond that: they run with the rights of whoever started the server.
"""
from __future__ import annotations

import argparse
import json
import os
import sys
import threading
from pathlib import Path
from typing import Any, Dict, List, Optional, TextIO

from . import SluiceError, __version__, _judge

VERSIONS = ("2025-06-18", "2025-03-26", "2024-11-05")  # of the protocol, the newest first

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, NO_RESOURCE = -32700, -32600, -32601, -32602, -32002


class ProtocolError(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def _schema(required: str, **properties: Any) -> Dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required.split(), "additionalProperties": False}


_TEXT = {"type": "string"}
_WORDS = {"type": "array", "items": _TEXT}
_GPU = {"type": "string", "description": "GPU model (see machines; default: h200)"}
_INPUT = {"type": "string",
          "description": "a CUDA source (.cu, compiled with nvcc), a program, a trace (.slt) or the name of a built-in workload"}
_ARGS = {**_WORDS, "description": "arguments of the program"}
_FLAGS = {**_WORDS, "description": "more options for nvcc, such as -O3"}

# name: (description, schema, function of _judge)
TOOLS = {
    "check": ("Compile and run a CUDA program on the CPU, without a GPU, and judge whether it is right: results equal to those of a "
              "reference program, no races, no accesses outside of allocations, to freed or never written memory, no results "
              "left by something else, no work that nobody waits for, no kernel that does nothing.",
              _schema("input", input=_INPUT, args=_ARGS, flags=_FLAGS,
                      reference={**_INPUT, "description": "what prints the right results: a source or a program"},
                      tolerance={"type": "number", "minimum": 0,
                                 "description": "relative error that numbers in the output may have (default: 0)"})),
    "explain": ("Say what makes the kernels of a program slow on a GPU: findings, largest estimated cost first, with source line, "
                "cause and fix; and the estimated time of each kernel and what limits it.",
                _schema("input", input=_INPUT, args=_ARGS, flags=_FLAGS, gpu=_GPU)),
    "compare": ("Say which of two programs is faster on a GPU, by how much, and which memory instruction explains it.",
                _schema("a b", a=_INPUT, b=_INPUT, args=_ARGS, flags=_FLAGS, gpu=_GPU,
                        simulate={"type": "boolean", "description": "simulate cycle by cycle: slower, surer (default: estimate)"},
                        match={**_WORDS, "description": "renamed kernels: OLD=NEW"})),
    "what_if": ("Estimate how long a program would take without the cause of a finding.",
                _schema("input rule", input=_INPUT, args=_ARGS, flags=_FLAGS, gpu=_GPU,
                        rule={"type": "string", "description": "rule of a finding, or RULE@LINE for one line"})),
    "tune": ("Find which loads of a kernel should bypass which cache level, by simulating the choices; writes a plan that 'sluice "
             "apply' puts into PTX.",
             _schema("input", input=_INPUT, gpu=_GPU,
                     size={"type": "string", "enum": ["small", "default", "large"], "description": "of a workload"},
                     plan={"type": "string", "description": "file for the plan"})),
    "machines": ("List the GPU models, with their caches and where the numbers come from.", _schema("")),
}


class Server:
    def __init__(self, judge: _judge.Judge, out: TextIO) -> None:
        self.judge, self.out = judge, out
        self.lock = threading.Lock()
        self.calls: Dict[Any, _judge.Call] = {}
        self.results: List[Dict[str, Any]] = []  # what calls found, as resources
        self.ready = False

    def send(self, message: Dict[str, Any]) -> None:
        with self.lock:
            self.out.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            self.out.flush()

    # ---- methods ----

    def initialize(self, params: Dict[str, Any]) -> Dict[str, Any]:
        asked = params.get("protocolVersion")
        self.ready = True
        return {"protocolVersion": asked if asked in VERSIONS else VERSIONS[0],
                "capabilities": {"tools": {"listChanged": False}, "resources": {"listChanged": False, "subscribe": False}},
                "serverInfo": {"name": "sluice", "version": __version__},
                "instructions": "Call check before compare or explain: a fast kernel that is wrong is worth nothing. Results of "
                                "calls stay readable as resources, whole."}

    def list_tools(self, params: Dict[str, Any]) -> Dict[str, Any]:
        return {"tools": [{"name": name, "description": description, "inputSchema": schema}
                          for name, (description, schema) in TOOLS.items()]}

    def list_resources(self, params: Dict[str, Any]) -> Dict[str, Any]:
        return {"resources": [{"uri": f"sluice://result/{number}", "name": result["name"], "mimeType": "application/json"}
                              for number, result in enumerate(self.results)]}

    def read_resource(self, params: Dict[str, Any]) -> Dict[str, Any]:
        uri = params.get("uri")
        start = "sluice://result/"
        number = uri[len(start):] if isinstance(uri, str) and uri.startswith(start) else ""
        if not number.isascii() or not number.isdigit() or int(number) >= len(self.results):
            raise ProtocolError(NO_RESOURCE, f"there is no resource {uri!r}; resources/list has those that there are")
        text = json.dumps(self.results[int(number)]["data"])
        return {"contents": [{"uri": uri, "mimeType": "application/json", "text": text}]}

    def start_call(self, number: Any, params: Dict[str, Any]) -> None:
        """Runs a tool beside whatever else is asked, so that it can be cancelled."""
        name, given = params.get("name"), params.get("arguments") or {}
        if name not in TOOLS:
            near = _judge.nearest(str(name), TOOLS)
            raise ProtocolError(INVALID_PARAMS, f"there is no tool {name!r}" + (f"; did you mean {near!r}?" if near else ""))
        wrong = _judge.check_arguments(given, TOOLS[name][1])
        if wrong:
            raise ProtocolError(INVALID_PARAMS, f"{name}: {wrong}")
        call = self.judge.call()
        with self.lock:
            self.calls[number] = call
        threading.Thread(target=self.run_call, args=(number, name, given, call), daemon=True).start()

    def run_call(self, number: Any, name: str, given: Dict[str, Any], call: _judge.Call) -> None:
        failed = False
        try:
            text, data = getattr(call, name)(**given)
        except (SluiceError, _judge.Refused) as error:
            text, data, failed = str(error), None, True
        except Exception as error:  # a fault of ours must not end the server
            text, data, failed = f"{type(error).__name__}: {error}", None, True
        finally:
            call.end()
        with self.lock:
            self.calls.pop(number, None)
            content: List[Dict[str, Any]] = [{"type": "text", "text": text}]
            if data is not None:
                self.results.append({"name": f"{name} {given.get('input', given.get('a', ''))}".strip(), "data": data})
                content.append({"type": "resource_link", "uri": f"sluice://result/{len(self.results) - 1}", "name": "result",
                                "mimeType": "application/json"})
        if not call.cancelled:  # the protocol: no answer to what was cancelled
            self.send({"id": number, "result": {"content": content, "isError": failed}})

    METHODS = {"initialize": initialize, "ping": lambda self, params: {}, "tools/list": list_tools,
               "resources/list": list_resources, "resources/read": read_resource,
               "resources/templates/list": lambda self, params: {"resourceTemplates": []}}

    # ---- messages ----

    def answer(self, message: Any) -> None:
        number = message.get("id") if isinstance(message, dict) else None
        try:
            if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
                raise ProtocolError(INVALID_REQUEST, "not a request of JSON-RPC 2.0")
            if "method" not in message:
                return  # an answer; nothing is asked of clients
            method, params = message["method"], message.get("params") or {}
            if not isinstance(method, str) or not isinstance(params, dict):
                raise ProtocolError(INVALID_REQUEST, "'method' is a text, and 'params' an object")
            if "id" not in message:
                self.notice(method, params)
                return
            if isinstance(number, (dict, list, bool)) or number is None:
                number = None
                raise ProtocolError(INVALID_REQUEST, "'id' is a number or a text")
            if not self.ready and method not in ("initialize", "ping"):
                raise ProtocolError(INVALID_REQUEST, "'initialize' comes first")
            if method == "tools/call":
                self.start_call(number, params)
                return
            if method not in self.METHODS:
                raise ProtocolError(NO_METHOD, f"there is no method {method!r}")
            self.send({"id": number, "result": self.METHODS[method](self, params)})
        except ProtocolError as error:
            self.send({"id": number, "error": {"code": error.code, "message": str(error)}})

    def notice(self, method: str, params: Dict[str, Any]) -> None:
        if method == "notifications/cancelled":
            with self.lock:
                call = self.calls.get(params.get("requestId"))
            if call:
                call.cancel()

    def serve(self, lines: TextIO) -> None:
        for line in lines:
            if not line.strip():
                continue
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                self.send({"id": None, "error": {"code": PARSE_ERROR, "message": "not JSON"}})
                continue
            for one in message if isinstance(message, list) and message else [message]:
                self.answer(one)
        with self.lock:
            waiting = list(self.calls.values())
        for call in waiting:
            call.cancel()


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="sluice.mcp", description="Serve Sluice to programs, over MCP on standard input and output.")
    parser.add_argument("folder", nargs="?", default=".", help="the folder that calls may name files of (default: the current one)")
    parser.add_argument("--seconds", type=float, default=300, help="limit of each call (default: 300)")
    parser.add_argument("--memory", type=float, default=8, metavar="GIB", help="limit of each call's processes (default: 8)")
    parser.add_argument("--nvcc", help="the compiler of CUDA sources (default: on the PATH, or that of /usr/local/cuda)")
    options = parser.parse_args(arguments)
    folder = Path(options.folder)
    if not folder.is_dir():
        parser.error(f"{folder} is not a folder")
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what anything else prints is no message
    judge = _judge.Judge(folder, options.seconds, int(options.memory * 2**30), options.nvcc)
    try:
        Server(judge, out).serve(sys.stdin)
    except KeyboardInterrupt:
        return 130
    finally:
        judge.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
