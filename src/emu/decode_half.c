/* Half precision, matrix and texture instructions. */
#include "emu/decode.h"

bool sl_decode_half(sl_decoder *d)
{
    (void)d;
    return false;
}
