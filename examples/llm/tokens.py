#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""From reports of a program that decodes tokens, one for each GPU ('sluice model app.slt --gpu GPU --json GPU.json'):
tokens per second, and how often the attention of a layer reads its KV cache from DRAM. Tokens and layers are NVTX
ranges: "token N/layer N/attention". python3 tokens.py KV_BYTES LAYER REPORT..."""
import json
import sys

SECTOR_BYTES = 32


def main(kv_bytes, layer, paths):
    print(f"GPU                       tokens/s   KV cache of layer {layer} from DRAM")
    for path in paths:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        changes = report["options"].get("set", "")
        nanoseconds, sectors = {}, 0
        for launch in report["launches"]:
            parts = launch.get("range", "").split("/")
            nanoseconds[parts[0]] = nanoseconds.get(parts[0], 0) + launch["counters"]["est_ns"]
            if parts[1:] == [f"layer {layer}", "attention"] and launch["name"].startswith("attend"):
                sectors += launch["counters"]["dram_read_sectors"]
        # The first token finds empty caches.
        warm = [time for token, time in nanoseconds.items() if token != "token 0"]
        times = sectors * SECTOR_BYTES / kv_bytes
        print(f"{report['machine'] + ', ' * bool(changes) + str(changes):24}  {len(warm) * 1e9 / sum(warm):8,.0f}   "
              f"{times:.1f} times in {len(nanoseconds)} tokens")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit("usage: tokens.py KV_BYTES LAYER REPORT.json...")
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
