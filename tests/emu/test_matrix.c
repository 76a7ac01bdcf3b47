/* SPDX-License-Identifier: MIT */
/* Matrix instructions against plain triple loops. Fragments are laid out here with the formulas of the PTX ISA, one
 * shape after the other. */
#include "emu/fragments.h"
#include "emu/recording.h"

enum { LANES = 64 }; /* two warps of 32 lanes, or one of 64 that holds two sets of matrices */

static bool runs(const machine *m)
{
    session s;
    bool yes = session_open(&s, m, ".version 7.0\n.target sm_80\n.address_size 64\n", NULL);
    if (yes)
        session_close(&s);
    return yes;
}

static uint32_t f32_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float f32_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

typedef struct matrices {
    double a[2][16][64], b[2][64][8], c[2][16][8], d[2][16][8]; /* [set of 32 lanes] */
} matrices;

static void make_matrices(matrices *x, int m, int k, double scale)
{
    uint64_t state = 7;
    for (int set = 0; set < 2; set++) {
        for (int i = 0; i < m; i++)
            for (int j = 0; j < k; j++)
                x->a[set][i][j] = small_number(&state) * scale;
        for (int i = 0; i < k; i++)
            for (int j = 0; j < 8; j++)
                x->b[set][i][j] = small_number(&state) * scale;
        for (int i = 0; i < m; i++)
            for (int j = 0; j < 8; j++) {
                x->c[set][i][j] = small_number(&state);
                x->d[set][i][j] = x->c[set][i][j];
                for (int l = 0; l < k; l++)
                    x->d[set][i][j] += x->a[set][i][l] * x->b[set][l][j];
            }
    }
}

/* m16n8k16 and m16n8k8 with 16-bit factors: a and b in pairs along k. */
static void check_halves(const char *type, const format *f, int k, bool half_sums)
{
    static matrices x;
    make_matrices(&x, 16, k, 0.25);
    fragments regs = {half_sums ? 2 : 4, k / 4, k / 8, half_sums ? 2 : 4, false};
    uint32_t a[LANES][4], b[LANES][2], c[LANES][4], d[LANES][4];
    uint32_t *flat_a = a[0], *flat_b = b[0], *flat_c = c[0], *flat_d = d[0];
    for (int lane = 0; lane < LANES; lane++) {
        int set = lane / 32, group = lane % 32 >> 2, t = lane % 4;
        for (int i = 0; i < k / 2; i++) { /* a0 … a7 */
            int row = (i >= 0 && i < 2) || (i >= 4 && i < 6) ? group : group + 8;
            int col = t * 2 + (i & 1) + (i >= 4 ? 8 : 0);
            uint32_t bits = half_bits(x.a[set][row][col], f);
            uint32_t *reg = &flat_a[lane * regs.a + i / 2];
            *reg = i & 1 ? *reg | bits << 16 : bits;
        }
        for (int i = 0; i < k / 4; i++) { /* b0 … b3 */
            int row = t * 2 + (i & 1) + (i >= 2 ? 8 : 0);
            uint32_t bits = half_bits(x.b[set][row][group], f);
            uint32_t *reg = &flat_b[lane * regs.b + i / 2];
            *reg = i & 1 ? *reg | bits << 16 : bits;
        }
        for (int i = 0; i < 4; i++) {
            double value = x.c[set][i < 2 ? group : group + 8][t * 2 + (i & 1)];
            uint32_t *reg = &flat_c[lane * regs.c + (half_sums ? i / 2 : i)];
            if (half_sums)
                *reg = i & 1 ? *reg | half_bits(value, &F16) << 16 : half_bits(value, &F16);
            else
                *reg = f32_bits((float)value);
        }
    }
    char instruction[100];
    const char *sums = half_sums ? "f16" : "f32";
    snprintf(instruction, sizeof instruction, "mma.sync.aligned.m16n8k%d.row.col.%s.%s.%s.%s", k, sums, type, type,
             sums);
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        if (!runs(&machines[m]))
            continue;
        run_mma(&machines[m], instruction, &regs, LANES, a, b, c, d);
        for (int lane = 0; lane < LANES; lane++)
            for (int i = 0; i < 4; i++) {
                int row = (lane % 32 >> 2) + (i < 2 ? 0 : 8), col = lane % 4 * 2 + (i & 1);
                uint32_t reg = flat_d[lane * regs.d + (half_sums ? i / 2 : i)];
                double got = half_sums ? value_of(reg >> 16 * (i & 1) & 0xffff, &F16) : (double)f32_of(reg);
                double want = x.d[lane / 32][row][col];
                if (got != want)
                    fail_msg("%s: row %d, column %d is %g, not %g", instruction, row, col, got, want);
            }
    }
}

static void mma_of_halves_is_the_product_of_matrices_laid_out_as_documented(void **unused)
{
    (void)unused;
    check_halves("f16", &F16, 16, false);
    check_halves("f16", &F16, 16, true);
    check_halves("f16", &F16, 8, false);
    check_halves("f16", &F16, 8, true);
    check_halves("bf16", &BF16, 16, false);
    check_halves("bf16", &BF16, 8, false);
}

static void mma_of_tf32_ignores_the_low_bits_of_its_factors(void **unused)
{
    (void)unused;
    static matrices x;
    for (int k = 4; k <= 8; k += 4) {
        make_matrices(&x, 16, k, 0.5);
        fragments regs = {4, k / 2, k / 4, 4, false};
        uint32_t a[LANES * 4], b[LANES * 2], c[LANES * 4], d[LANES * 4];
        for (int lane = 0; lane < LANES; lane++) {
            int set = lane / 32, group = lane % 32 >> 2, t = lane % 4;
            for (int i = 0; i < k / 2; i++) /* a1 and a3 are eight rows below, a2 and a3 four columns on */
                a[lane * regs.a + i] =
                    f32_bits((float)x.a[set][group + (i & 1 ? 8 : 0)][t + (i >= 2 ? 4 : 0)]) | 0x1fff;
            for (int i = 0; i < k / 4; i++)
                b[lane * regs.b + i] = f32_bits((float)x.b[set][t + 4 * i][group]) | 0x0abc;
            for (int i = 0; i < 4; i++)
                c[lane * 4 + i] = f32_bits((float)x.c[set][i < 2 ? group : group + 8][t * 2 + (i & 1)]);
        }
        run_mma(&machines[4],
                k == 4 ? "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32"
                       : "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
                &regs, LANES, a, b, c, d);
        for (int lane = 0; lane < LANES; lane++)
            for (int i = 0; i < 4; i++) {
                int row = (lane % 32 >> 2) + (i < 2 ? 0 : 8), col = lane % 4 * 2 + (i & 1);
                assert_true(f32_of(d[lane * 4 + i]) == (float)x.d[lane / 32][row][col]);
            }
    }
}

static void mma_of_doubles_is_a_chain_of_fused_multiply_adds(void **unused)
{
    (void)unused;
    double a[LANES], b[LANES], c[LANES * 2], d[LANES * 2];
    uint64_t state = 3;
    fragments regs = {2, 1, 1, 2, true};
    for (int i = 0; i < LANES; i++) {
        a[i] = (double)next_random(&state) / 3e9;
        b[i] = (double)next_random(&state) / 7e9;
        c[2 * i] = (double)next_random(&state) / 5e9;
        c[2 * i + 1] = -c[2 * i];
    }
    for (int m = 0; m < 6; m++) {
        if (!runs(&machines[m]))
            continue;
        run_mma(&machines[m], "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", &regs, LANES, a, b, c, d);
        for (int lane = 0; lane < LANES; lane++)
            for (int i = 0; i < 2; i++) {
                int first = lane & 32, row = lane % 32 >> 2, col = lane % 4 * 2 + i;
                double want = c[2 * lane + i];
                for (int k = 0; k < 4; k++) /* a: row group, column t; b: row t, column group */
                    want = fma(a[first + row * 4 + k], b[first + col * 4 + k], want);
                assert_true(d[2 * lane + i] == want);
            }
    }
}

static void mma_of_bytes_is_exact_and_wraps_or_saturates(void **unused)
{
    (void)unused;
    uint64_t state = 11;
    static const struct {
        const char *instruction;
        int m, k;
        bool a_signed, b_signed, saturates;
        int32_t start;
    } cases[] = {
        {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 16, 32, true, true, false, 5},
        {"mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32", 16, 16, false, true, false, -7},
        {"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.u8.s32", 16, 32, false, false, true, INT32_MAX - 1000},
        {"mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32", 16, 32, false, false, false, INT32_MAX - 1000},
        {"mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.u8.s32", 8, 16, true, false, true, INT32_MIN + 5},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        int m = cases[n].m, k = cases[n].k;
        uint8_t ma[2][16][32], mb[2][32][8];
        for (size_t i = 0; i < sizeof ma; i++)
            (&ma[0][0][0])[i] = (uint8_t)next_random(&state);
        for (size_t i = 0; i < sizeof mb; i++)
            (&mb[0][0][0])[i] = (uint8_t)next_random(&state);
        fragments regs = {m / 4, m * k / 128, k / 16, m / 4, false};
        uint8_t a[LANES * 16], b[LANES * 8];
        int32_t c[LANES * 4], d[LANES * 4];
        for (int lane = 0; lane < LANES; lane++) {
            int set = lane / 32, group = lane % 32 >> 2, t = lane % 4;
            for (int i = 0; i < regs.a * 4; i++) {
                bool lower = m == 16 && !((i >= 0 && i < 4) || (i >= 8 && i < 12));
                int col = t * 4 + (i & 3) + (i >= 8 ? 16 : 0);
                a[lane * regs.a * 4 + i] = ma[set][group + (lower ? 8 : 0)][col];
            }
            for (int i = 0; i < regs.b * 4; i++)
                b[lane * regs.b * 4 + i] = mb[set][t * 4 + (i & 3) + (i >= 4 ? 16 : 0)][group];
            for (int i = 0; i < regs.c; i++)
                c[lane * regs.c + i] = cases[n].start;
        }
        run_mma(&machines[n % 2 ? 5 : 4], cases[n].instruction, &regs, LANES, a, b, c, d);
        for (int lane = 0; lane < LANES; lane++)
            for (int i = 0; i < regs.d; i++) {
                int set = lane / 32, row = (lane % 32 >> 2) + (i < 2 ? 0 : 8), col = lane % 4 * 2 + (i & 1);
                int64_t sum = cases[n].start;
                for (int l = 0; l < k; l++) {
                    int64_t x = cases[n].a_signed ? (int8_t)ma[set][row][l] : ma[set][row][l];
                    sum += x * (cases[n].b_signed ? (int8_t)mb[set][l][col] : mb[set][l][col]);
                }
                if (cases[n].saturates)
                    sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
                if (d[lane * regs.d + i] != (int32_t)(uint32_t)sum)
                    fail_msg("%s: row %d, column %d is %d, not %lld", cases[n].instruction, row, col,
                             d[lane * regs.d + i], (long long)sum);
            }
    }
}

static void mma_of_bits_counts_common_or_differing_ones(void **unused)
{
    (void)unused;
    uint64_t state = 17;
    for (int differ = 0; differ < 2; differ++) {
        fragments regs = {4, 2, 1, 4, false};
        uint32_t a[LANES * 2], b[LANES], c[LANES * 4], d[LANES * 4];
        for (int i = 0; i < LANES * 2; i++)
            a[i] = next_random(&state);
        for (int i = 0; i < LANES; i++)
            b[i] = next_random(&state);
        for (int i = 0; i < LANES * 4; i++)
            c[i] = (uint32_t)i;
        run_mma(&machines[4],
                differ ? "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc"
                       : "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc",
                &regs, LANES, a, b, c, d);
        for (int lane = 0; lane < LANES; lane++)
            for (int i = 0; i < 4; i++) {
                int first = lane & 32, row = lane % 32 >> 2, col = lane % 4 * 2 + (i & 1);
                uint32_t want = (uint32_t)(lane * 4 + i);
                for (int t = 0; t < 4; t++) { /* lane t of a row's group holds bits 32 * t … of it */
                    uint32_t x = a[(first + row * 4 + t) * 2 + (i >= 2)], y = b[first + col * 4 + t];
                    want += (uint32_t)__builtin_popcount(differ ? x ^ y : x & y);
                }
                assert_int_equal(d[lane * 4 + i], want);
            }
    }
}

static void mma_of_eight_bit_floats_multiplies_their_values(void **unused)
{
    (void)unused;
    fragments regs = {4, 4, 2, 4, false};
    uint32_t a[LANES * 4], b[LANES * 2], c[LANES * 4], d[LANES * 4];
    for (int i = 0; i < LANES * 4; i++) {
        a[i] = 0x38383838; /* 1.0 in e4m3 */
        c[i] = f32_bits(0.5f);
    }
    for (int i = 0; i < LANES * 2; i++)
        b[i] = 0x40c03c00; /* bytes 0, 1.0, -2.0, 2.0 in e5m2 */
    run_mma(&machines[4], "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", &regs, LANES, a, b, c, d);
    for (int i = 0; i < LANES * 4; i++)
        assert_true(f32_of(d[i]) == 8.5f); /* eight times (0 + 1 - 2 + 2), and a half */
}

static void mma_m8n8k4_multiplies_one_matrix_per_pair_of_quads(void **unused)
{
    (void)unused;
    static const char *const layouts[4] = {"row.col", "col.col", "row.row", "col.row"};
    uint64_t state = 23;
    for (int form = 0; form < 8; form++) {
        bool a_col = form & 1, b_row = form & 2, half_sums = form & 4;
        double ma[2][4][8][4], mb[2][4][4][8], mc[2][4][8][8];
        for (size_t i = 0; i < 2 * 4 * 32; i++) {
            (&ma[0][0][0][0])[i] = small_number(&state);
            (&mb[0][0][0][0])[i] = small_number(&state);
        }
        for (size_t i = 0; i < 2 * 4 * 64; i++)
            (&mc[0][0][0][0])[i] = small_number(&state);
        uint16_t a[LANES][4], b[LANES][4], ch[LANES][8], dh[LANES][8];
        float cf[LANES][8], df[LANES][8];
        for (int lane = 0; lane < LANES; lane++) {
            int l = lane % 32, set = lane / 32, quad = l % 16 / 4;
            for (int i = 0; i < 4; i++) {
                int row = a_col ? (l < 16 ? i % 4 : i % 4 + 4) : (l < 16 ? l % 4 : l % 4 + 4), col = a_col ? l % 4 : i;
                a[lane][i] = (uint16_t)half_bits(ma[set][quad][row][col], &F16);
                row = b_row ? l % 4 : i;
                col = b_row ? (l < 16 ? i : i + 4) : (l < 16 ? l % 4 : l % 4 + 4);
                b[lane][i] = (uint16_t)half_bits(mb[set][quad][row][col], &F16);
            }
            for (int i = 0; i < 8; i++) {
                int x = (l & 1) + (i & 2);
                ch[lane][i] = (uint16_t)half_bits(mc[set][quad][l < 16 ? l % 4 : l % 4 + 4][i], &F16);
                cf[lane][i] = (float)mc[set][quad][l < 16 ? x : x + 4][(i & 4) + (l & 2) + (i & 1)];
            }
        }
        char instruction[100];
        const char *sums = half_sums ? "f16" : "f32";
        snprintf(instruction, sizeof instruction, "mma.sync.aligned.m8n8k4.%s.%s.f16.f16.%s", layouts[form & 3], sums,
                 sums);
        fragments regs = {half_sums ? 4 : 8, 2, 2, half_sums ? 4 : 8, false};
        run_mma(&machines[4 + form % 2], instruction, &regs, LANES, a, b, half_sums ? (void *)ch : cf,
                half_sums ? (void *)dh : df);
        for (int lane = 0; lane < LANES; lane++)
            for (int i = 0; i < 8; i++) {
                int l = lane % 32, set = lane / 32, quad = l % 16 / 4, x = (l & 1) + (i & 2);
                int row = half_sums ? (l < 16 ? l % 4 : l % 4 + 4) : (l < 16 ? x : x + 4);
                int col = half_sums ? i : (i & 4) + (l & 2) + (i & 1);
                double want = mc[set][quad][row][col];
                for (int k = 0; k < 4; k++)
                    want += ma[set][quad][row][k] * mb[set][quad][k][col];
                double got = half_sums ? value_of(dh[lane][i], &F16) : (double)df[lane][i];
                if (got != want)
                    fail_msg("%s: lane %d, item %d is %g, not %g", instruction, lane, i, got, want);
            }
    }
}

/* Every row of A is `a`, every column of B is `b`, every element of C is `c`. */
static void fill_fragments(const uint16_t *a, const uint16_t *b, uint32_t c, uint16_t ra[LANES][8],
                           uint16_t rb[LANES][4], uint32_t rc[LANES][4])
{
    for (int lane = 0; lane < LANES; lane++)
        for (int i = 0; i < 8; i++) {
            int k = lane % 4 * 2 + (i & 1);
            ra[lane][i] = a[k + (i >= 4 ? 8 : 0)];
            if (i < 4) {
                rb[lane][i] = b[k + (i >= 2 ? 8 : 0)];
                rc[lane][i] = c;
            }
        }
}

static const fragments F32_SUMS = {4, 4, 2, 4, false};

static void check_dot_product(const char *type, const uint16_t *a, const uint16_t *b, uint32_t c, uint32_t want)
{
    uint16_t ra[LANES][8], rb[LANES][4];
    uint32_t rc[LANES][4], rd[LANES][4];
    char instruction[100];
    snprintf(instruction, sizeof instruction, "mma.sync.aligned.m16n8k16.row.col.f32.%s.%s.f32", type, type);
    fill_fragments(a, b, c, ra, rb, rc);
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        if (!runs(&machines[m]))
            continue;
        run_mma(&machines[m], instruction, &F32_SUMS, LANES, ra, rb, rc, rd);
        for (int i = 0; i < LANES * 4; i++)
            if (rd[i / 4][i % 4] != want)
                fail_msg("%s: 0x%08x, not 0x%08x (%u lanes)", instruction, rd[i / 4][i % 4], want, machines[m].lanes);
    }
}

static void sums_are_those_that_an_h200_was_seen_to_make(void **unused)
{
    (void)unused;
    static const struct {
        const char *type;
        uint16_t a[16], b[16];
        uint32_t c, d;
    } seen[] = {
        {"f16",
         {0xc552, 0xb68c, 0xc14a, 0xbaa5, 0xb0d1, 0xb03e, 0xbea2, 0x45d9, 0xb950, 0xc3f8, 0xb41a, 0x369b, 0xc38c,
          0xc10c, 0xba8d, 0x3660},
         {0x3a32, 0xb33f, 0xb562, 0x37a3, 0xbbce, 0x3431, 0xbe9e, 0x3475, 0xbeae, 0xb20c, 0x3114, 0x3db8, 0xc31a,
          0x3ec0, 0x4624, 0xc2b7},
         0xbf02a6ba,
         0x40b4039d},
        {"f16",
         {0x39dc, 0xb9f9, 0xc5c2, 0x4b5e, 0x4245, 0xd9b6, 0x3473, 0x95e8, 0xd41d, 0xb774, 0x98bc, 0x30a4, 0x1562,
          0x3156, 0xdc9d, 0x369a},
         {0x430c, 0x51c7, 0x39a0, 0xb0df, 0x15e8, 0x2b97, 0xd929, 0x346a, 0xcec5, 0xbf10, 0xd78d, 0x3b52, 0xb829,
          0xdb06, 0xd91e, 0x2538},
         0x42a05f6b,
         0x47439e40},
        {"f16",
         {0x449b, 0x91db, 0xe0fb, 0x7285, 0xa68f, 0x5f01, 0xc778, 0x83ef, 0xba09, 0x85bf, 0x74f5, 0xb79e, 0xd334,
          0x1312, 0x6a20, 0x73ed},
         {0xa94b, 0xd49a, 0x6545, 0x51df, 0x04cb, 0x8881, 0x0701, 0x0246, 0x2e73, 0xd88a, 0xc58e, 0x7a67, 0x2568,
          0x72f0, 0x201a, 0xc6c9},
         0x80000000,
         0xc8eab920},
        {"bf16",
         {0xc095, 0xc09b, 0x3e67, 0xbe5d, 0x3f3a, 0x3ecd, 0x3f9f, 0x3f74, 0xbe0e, 0x3e08, 0x40fd, 0x3fe9, 0x3f79,
          0xbed4, 0x3fc1, 0xc0f5},
         {0x4086, 0x406c, 0xbe78, 0x4059, 0x3f11, 0xbf90, 0xbfcd, 0xbfa4, 0xc06c, 0xbeef, 0x4054, 0x4095, 0xc01a,
          0x3f81, 0x3fec, 0x3eef},
         0x3f03471c,
         0xc1151cb6},
        {"bf16",
         {0x3e59, 0x3fc8, 0x4051, 0xbd50, 0xc1a9, 0x3bd9, 0xc022, 0xc1a3, 0xbde8, 0xbf7e, 0xbb5a, 0xc46e, 0x3b4f,
          0x3c3a, 0xc466, 0x3d00},
         {0xbd2b, 0x3ca3, 0x40f2, 0xba90, 0xbcc3, 0xbcc3, 0xc2ea, 0xbda7, 0xc226, 0x4045, 0xc34c, 0xbf9c, 0x3c7b,
          0xc38b, 0xc335, 0xbdd3},
         0x422976f9,
         0x48241b34},
        {"bf16",
         {0x4034, 0x425a, 0x42db, 0xc4ba, 0xc38c, 0x487a, 0xbed3, 0xcc57, 0xb97f, 0xc8a0, 0x4c18, 0x3974, 0x3944,
          0xcc11, 0xc19f, 0x347b},
         {0xc793, 0xc178, 0x335f, 0x3b84, 0xb6c7, 0x352b, 0xb9aa, 0xbb71, 0x4a39, 0xc483, 0x32c1, 0xb17a, 0xbda9,
          0xb659, 0xc0ef, 0xcdf0},
         0x00000000,
         0x4da3bf49},
    };
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
        check_dot_product(seen[i].type, seen[i].a, seen[i].b, seen[i].c, seen[i].d);
}

static void infinities_and_nan_go_through_a_product_of_matrices(void **unused)
{
    (void)unused;
    uint16_t a[16] = {0x3c00, 0x7c00}, b[16] = {0x3c00, 0x4000}; /* 1 * 1 + inf * 2 + 0 … */
    check_dot_product("f16", a, b, 0, 0x7f800000);
    b[1] = 0; /* inf * 0 */
    check_dot_product("f16", a, b, 0, 0x7fffffff);
    b[1] = 0xc000; /* -inf + inf */
    check_dot_product("f16", a, b, 0x7f800000, 0x7fffffff);
    a[1] = 0x7e00;
    check_dot_product("f16", a, b, 0, 0x7fffffff);
}

static void sums_are_aligned_to_the_largest_term_and_cut_off(void **unused)
{
    (void)unused;
    /* 2^0 keeps bits down to 2^-25: 15 times 2^-26 vanish, 2^-25 does not, and the sum is cut to 24 bits */
    uint16_t a[16], b[16];
    for (int i = 0; i < 16; i++) {
        a[i] = 0x0800; /* 2^-13 */
        b[i] = 0x0800;
    }
    check_dot_product("f16", a, b, 0x3f800000, 0x3f800000);
    for (int i = 0; i < 16; i++)
        b[i] = 0x0c00; /* 2^-12: sixteen times 2^-25 is 2^-21 */
    check_dot_product("f16", a, b, 0x3f800000, 0x3f800004);
    b[3] = 0x8c00; /* fourteen times: 7 * 2^-24, the last bit is cut off */
    check_dot_product("f16", a, b, 0x3f800000, 0x3f800003);
}

/* ---- ldmatrix, stmatrix, movmatrix ---- */

static const char move_text[] =
    ".version 8.6\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 out)\n{\n"
    ".shared .align 16 .b8 room[2048];\n"
    ".reg .b32 %r<20>; .reg .b64 %p<4>; .reg .b16 %h; .reg .pred %q;\n"
    "mov.u32 %r0, %tid.x; mov.u32 %r9, room;\n"
    "mov.u32 %r1, %r0; mov.u32 %r4, %ntid.x;\n"
    "FILL:\n" /* item n of shared memory is the number n */
    "cvt.u16.u32 %h, %r1; mad.lo.u32 %r2, %r1, 2, %r9; st.shared.u16 [%r2], %h;\n"
    "add.u32 %r1, %r1, %r4; setp.lt.u32 %q, %r1, 512; @%q bra FILL;\n"
    "bar.sync 0;\n"
    "and.b32 %r2, %r0, 31; xor.b32 %r3, %r2, 5; mad.lo.u32 %r2, %r3, 32, %r9;\n" /* rows in a strange order */
    "%s\n"
    "ld.param.u64 %p0, [out]; mad.wide.u32 %p0, %r0, 16, %p0;\n"
    "st.global.v4.u32 [%p0], {%r10, %r11, %r12, %r13};\nret;\n}\n";

static void run_moves(const machine *m, const char *code, uint32_t threads, uint32_t *out, recording *r)
{
    char text[4096];
    session s;
    sl_launch_sink sink = recording_sink(r);
    const char *at = strstr(move_text, "%s\n");
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - move_text), move_text, code, at + 2);
    assert_true(session_open(&s, m, text, &sink));
    void *result = device_memory(&s, NULL, threads * 16);
    uint64_t params[1] = {(uintptr_t)result};
    session_run(&s, "k", 1, threads, params, sizeof params);
    memcpy(out, result, threads * 16);
    session_close(&s);
}

static void ldmatrix_gives_each_lane_two_neighbours_of_a_row_or_of_a_column(void **unused)
{
    (void)unused;
    static recording r;
    uint32_t out[64][4];
    for (int form = 0; form < 8; form++) {
        bool turned = form & 1;
        int count = form & 2 ? 4 : 2;
        const machine *m = &machines[form & 4 ? 5 : 4];
        char code[200];
        snprintf(code, sizeof code,
                 "mov.u32 %%r12, 0; mov.u32 %%r13, 0; ldmatrix.sync.aligned.m8n8.x%d%s.shared.b16 {%s}, [%%r2+16];",
                 count, turned ? ".trans" : "", count == 4 ? "%r10, %r11, %r12, %r13" : "%r10, %r11");
        run_moves(m, code, 64, out[0], &r);
        for (int thread = 0; thread < 64; thread++)
            for (int j = 0; j < count; j++) {
                int lane = thread % 32;
                uint32_t want = 0;
                for (int e = 0; e < 2; e++) {
                    int row = turned ? lane % 4 * 2 + e : lane / 4, col = turned ? lane / 4 : lane % 4 * 2 + e;
                    uint32_t item = (uint32_t)(((8 * j + row) ^ 5) * 16 + 8 + col); /* 32 bytes a row, 16 on */
                    want |= item << 16 * e;
                }
                assert_int_equal(out[thread][j], want);
            }
        uint32_t last = recording_last(&r, "ldmatrix");
        const sl_access *access = &r.access[last];
        assert_int_equal(r.inst[last].width, 16);
        assert_int_equal(r.inst[last].space, SL_MEM_SHARED);
        uint64_t used = count == 4 ? UINT32_MAX : 0xffff;
        assert_true(access->mask == (m->lanes == 64 ? used | used << 32 : used));
        assert_true(access->addr[3] == (3 ^ 5) * 32 + 16);
    }
}

static void stmatrix_is_the_reverse_of_ldmatrix(void **unused)
{
    (void)unused;
    static recording r;
    uint32_t out[32][4];
    for (int turned = 0; turned < 2; turned++) {
        char code[400];
        snprintf(
            code, sizeof code,
            "mov.u32 %%r12, 0; mov.u32 %%r13, 0; ldmatrix.sync.aligned.m8n8.x2%s.shared.b16 {%%r10, %%r11}, [%%r2];\n"
            "xor.b32 %%r10, %%r10, 0x80008000;\n"
            "stmatrix.sync.aligned.m8n8.x2%s.shared.b16 [%%r2], {%%r10, %%r11};\nbar.sync 0;\n"
            "mad.lo.u32 %%r3, %%r0, 32, %%r9; ld.shared.v4.u32 {%%r10, %%r11, %%r12, %%r13}, [%%r3];",
            turned ? ".trans" : "", turned ? ".trans" : "");
        run_moves(&machines[4], code, 32, out[0], &r);
        for (int row = 0; row < 32; row++)
            for (int i = 0; i < 4; i++) {
                uint32_t item = (uint32_t)(row * 16 + 2 * i), plain = item | (item + 1) << 16;
                bool first = (row ^ 5) < 8; /* rows of the first matrix had their signs turned */
                assert_int_equal(out[row][i], first ? plain ^ 0x80008000 : plain);
            }
        uint32_t last = recording_last(&r, "stmatrix");
        assert_int_equal(r.inst[last].access, SL_ACCESS_STORE);
        assert_int_equal(r.access[last].mask, 0xffff);
    }
}

static void movmatrix_turns_a_matrix_over(void **unused)
{
    (void)unused;
    static recording r;
    uint32_t out[64][4];
    run_moves(
        &machines[5],
        "and.b32 %r3, %r0, 31; shl.b32 %r3, %r3, 1; add.u32 %r4, %r3, 1; shl.b32 %r4, %r4, 16; or.b32 %r10, %r3, %r4;"
        "movmatrix.sync.aligned.m8n8.trans.b16 %r10, %r10; mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u32 %r13, 0;",
        64, out[0], &r);
    for (int thread = 0; thread < 64; thread++) { /* item (row, col) was 8 * row + col */
        int lane = thread % 32, row = lane / 4, col = lane % 4 * 2;
        assert_int_equal(out[thread][0], (uint32_t)(col * 8 + row) | (uint32_t)((col + 1) * 8 + row) << 16);
    }
}

static void sparse_and_scaled_products_are_refused_by_name(void **unused)
{
    (void)unused;
    static const char text[] =
        ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<20>;\n"
        "mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r0, %r1}, {%r2, %r3}, {%r4, %r5}, {%r6, %r7}, %r8, "
        "0x0;\n"
        "ret;\n}\n";
    session s;
    assert_true(session_open(&s, &machines[4], text, NULL));
    assert_int_equal(session_try(&s, "k", 1, 32, NULL, 0), SL_UNSUPPORTED);
    assert_non_null(strstr(s.error.text, "mma.sp"));
    assert_int_equal(s.error.line, 7);
    session_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mma_of_halves_is_the_product_of_matrices_laid_out_as_documented),
        cmocka_unit_test(mma_of_tf32_ignores_the_low_bits_of_its_factors),
        cmocka_unit_test(mma_of_doubles_is_a_chain_of_fused_multiply_adds),
        cmocka_unit_test(mma_of_bytes_is_exact_and_wraps_or_saturates),
        cmocka_unit_test(mma_of_bits_counts_common_or_differing_ones),
        cmocka_unit_test(mma_of_eight_bit_floats_multiplies_their_values),
        cmocka_unit_test(mma_m8n8k4_multiplies_one_matrix_per_pair_of_quads),
        cmocka_unit_test(sums_are_those_that_an_h200_was_seen_to_make),
        cmocka_unit_test(infinities_and_nan_go_through_a_product_of_matrices),
        cmocka_unit_test(sums_are_aligned_to_the_largest_term_and_cut_off),
        cmocka_unit_test(ldmatrix_gives_each_lane_two_neighbours_of_a_row_or_of_a_column),
        cmocka_unit_test(stmatrix_is_the_reverse_of_ldmatrix),
        cmocka_unit_test(movmatrix_turns_a_matrix_over),
        cmocka_unit_test(sparse_and_scaled_products_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
