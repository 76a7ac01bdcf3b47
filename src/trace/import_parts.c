/* SPDX-License-Identifier: MIT */
#include "trace/import_parts.h"

void sl_import_parts_fini(sl_import_parts *p)
{
    sl_bytes_free(&p->bytes);
    sl_array_free(&p->views);
}

sl_status sl_import_parts_add(sl_import_parts *p, uint32_t warp, sl_warp_stream *stream, sl_error *error)
{
    sl_warp_stream_flush(stream);
    sl_warp_view view = {.warp = warp, .control_bytes = stream->control.count, .memory_bytes = stream->memory.count};
    if (stream->failed || !sl_bytes_append(&p->bytes, stream->control.data, stream->control.count) ||
        !sl_bytes_append(&p->bytes, stream->memory.data, stream->memory.count) || !sl_array_push(&p->views, view))
        return sl_fail_memory(error);
    return SL_OK;
}

sl_status sl_import_parts_flush(sl_import_parts *p, bool last, sl_error *error)
{
    const uint8_t *at = p->bytes.data;
    for (size_t i = 0; i < p->views.count; i++) {
        sl_warp_view *view = &p->views.items[i];
        view->control = at;
        view->memory = at + view->control_bytes;
        at += view->control_bytes + view->memory_bytes;
    }
    sl_block_view block = {
        .block = p->block, .part = p->part++, .last = last, .warps = (uint32_t)p->views.count, .warp = p->views.items};
    p->bytes.count = p->views.count = 0;
    return p->sink->block(p->sink->context, &block, error);
}
