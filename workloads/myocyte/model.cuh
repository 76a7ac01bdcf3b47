/* A heart muscle cell: 91 ordinary differential equations, in the manner of Shannon and Bers (2004) for excitation and
 * contraction of a rabbit's ventricular myocyte, and of three copies, for dyad, membrane and cytosol, of a model of
 * calmodulin with its kinase and phosphatase. Times in ms, concentrations in mM (calmodulin: uM), potentials in mV.
 *
 * Read by the kernel with REAL float and by the host's reference with REAL double; both provide
 * EXP, LOG and POW, and MODEL for what a function begins with. */

enum {
    /* gates: sodium, calcium, slow and fast transient outward, delayed rectifiers, late sodium */
    GATE_M, GATE_H, GATE_J, GATE_D, GATE_F, GATE_FCA_J, GATE_FCA_SL, GATE_XTOS, GATE_YTOS, GATE_RTOS, GATE_XTOF,
    GATE_YTOF, GATE_XKR, GATE_XKS, GATE_ML, GATE_HL,
    /* ryanodine receptor, and what is bound to buffers */
    RYR_R, RYR_O, RYR_I, NA_J_B, NA_SL_B, TNC_L, TNC_HC, TNC_HM, CAM_B, MYO_C, MYO_M, SR_B, SLL_J, SLL_SL, SLH_J,
    SLH_SL, CSQN_B,
    /* free concentrations, potential, force, and calmodulin in each place */
    CA_SR, NA_J, NA_SL, NA_I, K_I, CA_J, CA_SL, CA_I, VOLT, FORCE, CAM_TOTAL, /* [3] */
    ECC_EQUATIONS = CAM_TOTAL + 3,
    CAM_EQUATIONS = 15,
    EQUATIONS = ECC_EQUATIONS + 3 * CAM_EQUATIONS,
    /* of a cell: stimulus in uA/uF, its length in ms, and factors for conductances and rates */
    STIMULUS = 0, STIMULUS_MS, SCALE_NA, SCALE_CAL, SCALE_K, SCALE_NCX, SCALE_SERCA, SCALE_RYR, PARAMETERS = 16
};

#define FORT      ((REAL)0.0374358835)  /* F / (R T) at 310 K, 1/mV */
#define FARADAY   ((REAL)96485)
#define CMEM      ((REAL)1.381e-10)     /* F */
#define V_MYO     ((REAL)2.14541e-11)   /* l */
#define V_SR      ((REAL)1.15522e-12)
#define V_SL      ((REAL)6.60126e-13)
#define V_J       ((REAL)1.77904e-14)
#define IN_J      ((REAL)0.11)          /* share of the membrane that faces the junction */
#define IN_SL     ((REAL)0.89)
#define NA_OUT    ((REAL)140)
#define K_OUT     ((REAL)5.4)
#define CA_OUT    ((REAL)1.8)
#define CL_VOLT   ((REAL)-61.5)

/* Gates that close in on `target` with time constant `tau`. */
MODEL void towards(REAL target, REAL tau, const REAL *y, REAL *dy, int gate)
{
    dy[gate] = (target - y[gate]) / tau;
}

MODEL REAL sigmoid(REAL v, REAL half, REAL slope)
{
    return 1 / (1 + EXP((half - v) / slope));
}

/* Rates of a sodium channel's inactivation, which have one form above -40 mV and another below. */
MODEL void sodium_gates(const REAL *y, REAL *dy)
{
    REAL v = y[VOLT], ah, bh, aj, bj;
    REAL am = (REAL)0.32 * (v + (REAL)47.13) / (1 - EXP((REAL)-0.1 * (v + (REAL)47.13)));
    REAL bm = (REAL)0.08 * EXP(-v / 11);
    if (v >= -40) {
        ah = 0;
        aj = 0;
        bh = 1 / ((REAL)0.13 * (1 + EXP(-(v + (REAL)10.66) / (REAL)11.1)));
        bj = (REAL)0.3 * EXP((REAL)-2.535e-7 * v) / (1 + EXP((REAL)-0.1 * (v + 32)));
    } else {
        ah = (REAL)0.135 * EXP((80 + v) / (REAL)-6.8);
        bh = (REAL)3.56 * EXP((REAL)0.079 * v) + (REAL)3.1e5 * EXP((REAL)0.35 * v);
        aj = ((REAL)-1.2714e5 * EXP((REAL)0.2444 * v) - (REAL)3.474e-5 * EXP((REAL)-0.04391 * v)) *
             (v + (REAL)37.78) / (1 + EXP((REAL)0.311 * (v + (REAL)79.23)));
        bj = (REAL)0.1212 * EXP((REAL)-0.01052 * v) / (1 + EXP((REAL)-0.1378 * (v + (REAL)40.14)));
    }
    dy[GATE_M] = am * (1 - y[GATE_M]) - bm * y[GATE_M];
    dy[GATE_H] = ah * (1 - y[GATE_H]) - bh * y[GATE_H];
    dy[GATE_J] = aj * (1 - y[GATE_J]) - bj * y[GATE_J];
    dy[GATE_ML] = am * (1 - y[GATE_ML]) - bm * y[GATE_ML];
    towards(sigmoid(v, -91, (REAL)-6.1), 600, y, dy, GATE_HL);
}

MODEL void other_gates(const REAL *y, REAL *dy)
{
    REAL v = y[VOLT], shifted = v + (REAL)14.5;
    REAL d_target = sigmoid(v, (REAL)-14.5, 6);
    REAL near = shifted * shifted < (REAL)1e-6 ? (REAL)1e-3 : shifted;
    towards(d_target, d_target * (1 - EXP(-near / 6)) / ((REAL)0.035 * near), y, dy, GATE_D);
    REAL bell = EXP(-((REAL)0.0337 * shifted) * ((REAL)0.0337 * shifted));
    towards(sigmoid(v, (REAL)-35.06, (REAL)-3.6) + (REAL)0.6 * sigmoid(v, 50, 20),
            1 / ((REAL)0.0197 * bell + (REAL)0.02), y, dy, GATE_F);
    dy[GATE_FCA_J] = (REAL)1.7 * y[CA_J] * (1 - y[GATE_FCA_J]) - (REAL)11.9e-3 * y[GATE_FCA_J];
    dy[GATE_FCA_SL] = (REAL)1.7 * y[CA_SL] * (1 - y[GATE_FCA_SL]) - (REAL)11.9e-3 * y[GATE_FCA_SL];
    REAL xto = sigmoid(v, -3, 15), yto = sigmoid(v, (REAL)-33.5, -10), bell_tof = EXP(-(v / 30) * (v / 30));
    towards(xto, 9 * sigmoid(v, -3, -15) + (REAL)0.5, y, dy, GATE_XTOS);
    towards(yto, 3000 * sigmoid(v, -60, -10) + 30, y, dy, GATE_YTOS);
    towards(yto, (REAL)2.8e3 * sigmoid(v, -60, -10) + 220, y, dy, GATE_RTOS);
    towards(xto, (REAL)3.5 * bell_tof + (REAL)1.5, y, dy, GATE_XTOF);
    towards(yto, 20 * sigmoid(v, (REAL)-33.5, -10) + 20, y, dy, GATE_YTOF);
    REAL opening = (REAL)1.38e-3 * (v + 7) / (1 - EXP((REAL)-0.123 * (v + 7)));
    REAL closing = (REAL)6.1e-4 * (v + 10) / (EXP((REAL)0.145 * (v + 10)) - 1);
    towards(sigmoid(v, -50, (REAL)7.5), 1 / (opening + closing), y, dy, GATE_XKR);
    REAL slow = (REAL)7.19e-5 * (v + 30) / (1 - EXP((REAL)-0.148 * (v + 30)));
    REAL fast = (REAL)1.31e-4 * (v + 30) / (EXP((REAL)0.0687 * (v + 30)) - 1);
    towards(sigmoid(v, (REAL)1.5, (REAL)16.7), 1 / (slow + fast), y, dy, GATE_XKS);
}

/* Currents by ion and place, in uA/uF. */
typedef struct currents {
    REAL na_j, na_sl, k, ca_j, ca_sl, cl;
} currents;

/* Through the membrane that faces one place, per unit of membrane there: background and channels of sodium, the pump,
 * calcium channels, exchanger. */
MODEL void place_currents(const REAL *y, const REAL *p, int na, int ca, int fca, REAL *i_na, REAL *i_ca, REAL *i_k)
{
    REAL v = y[VOLT], vf = v * FORT, sodium = y[na], calcium = y[ca];
    REAL e_na = LOG(NA_OUT / sodium) / FORT, e_ca = (REAL)0.5 / FORT * LOG(CA_OUT / calcium);
    REAL m = y[GATE_M], ml = y[GATE_ML];
    REAL na_channel = (16 * p[SCALE_NA] * m * m * m * y[GATE_H] * y[GATE_J] +
                       (REAL)0.0045 * ml * ml * ml * y[GATE_HL] + (REAL)0.297e-3) *
                      (v - e_na);
    REAL sigma = (EXP(NA_OUT / (REAL)67.3) - 1) / 7;
    REAL f_nak = 1 / (1 + (REAL)0.1245 * EXP((REAL)-0.1 * vf) + (REAL)0.0365 * sigma * EXP(-vf));
    REAL pump_na = POW(11 / sodium, 4);
    REAL pump = (REAL)1.90719 * f_nak * K_OUT / (1 + pump_na) / (K_OUT + (REAL)1.5);
    REAL open = y[GATE_D] * y[GATE_F] * (1 - y[fca]) * (REAL)0.45 * p[SCALE_CAL];
    REAL e1 = EXP(vf), e2 = e1 * e1, driven = vf * FARADAY;
    REAL through_ca = (REAL)5.4e-4 * 4 * driven * ((REAL)0.341 * calcium * e2 - (REAL)0.341 * CA_OUT) / (e2 - 1);
    REAL through_na = (REAL)1.5e-8 * driven * ((REAL)0.75 * sodium * e1 - (REAL)0.75 * NA_OUT) / (e1 - 1);
    REAL through_k = (REAL)2.7e-7 * driven * ((REAL)0.75 * y[K_I] * e1 - (REAL)0.75 * K_OUT) / (e1 - 1);
    REAL act = (REAL)0.256e-3 / calcium, sodium3 = sodium * sodium * sodium, out3 = NA_OUT * NA_OUT * NA_OUT;
    REAL into = EXP((REAL)0.35 * vf) * sodium3 * CA_OUT, back = EXP((REAL)-0.65 * vf) * out3 * calcium;
    REAL bound = (REAL)3.59e-3 * out3 * (1 + POW(sodium / (REAL)12.29, 3)) +
                 (REAL)669921.875 * calcium * (1 + calcium / (REAL)3.59e-3) + (REAL)1.3 * sodium3 + sodium3 * CA_OUT +
                 out3 * calcium;
    REAL saturated = bound * (1 + (REAL)0.27 * EXP((REAL)-0.65 * vf));
    REAL exchange = 9 * p[SCALE_NCX] / (1 + act * act) * (into - back) / saturated;
    REAL slcap = POW(calcium, (REAL)1.6);
    slcap = (REAL)0.0673 * slcap / (POW((REAL)0.5e-3, (REAL)1.6) + slcap);
    *i_na = na_channel + 3 * pump + through_na * open + 3 * exchange;
    *i_ca = through_ca * open - 2 * exchange + slcap + (REAL)2.513e-4 * (v - e_ca);
    *i_k = through_k * open - 2 * pump;
}

MODEL currents all_currents(const REAL *y, const REAL *p)
{
    currents i;
    REAL v = y[VOLT], k_j, k_sl, e_k = LOG(K_OUT / y[K_I]) / FORT;
    place_currents(y, p, NA_J, CA_J, GATE_FCA_J, &i.na_j, &i.ca_j, &k_j);
    place_currents(y, p, NA_SL, CA_SL, GATE_FCA_SL, &i.na_sl, &i.ca_sl, &k_sl);
    i.na_j *= IN_J;
    i.ca_j *= IN_J;
    i.na_sl *= IN_SL;
    i.ca_sl *= IN_SL;
    REAL rectified = sigmoid(v, -33, (REAL)-22.4);
    REAL a1 = (REAL)1.02 / (1 + EXP((REAL)0.2385 * (v - e_k - (REAL)59.215)));
    REAL b1 = ((REAL)0.49124 * EXP((REAL)0.08032 * (v + (REAL)5.476 - e_k)) +
               EXP((REAL)0.06175 * (v - e_k - (REAL)594.31))) /
              (1 + EXP((REAL)-0.5143 * (v - e_k + (REAL)4.753)));
    REAL outward = (REAL)0.03 * y[GATE_XKR] * rectified + (REAL)0.07 * y[GATE_XKS] * y[GATE_XKS] +
                   (REAL)0.001 * sigmoid(v, (REAL)7.488, (REAL)5.98) +
                   (REAL)0.06 * y[GATE_XTOS] * (y[GATE_YTOS] + (REAL)0.5 * y[GATE_RTOS]) +
                   (REAL)0.02 * y[GATE_XTOF] * y[GATE_YTOF] + (REAL)0.9 * a1 / (a1 + b1);
    i.k = p[SCALE_K] * outward * (v - e_k) + IN_J * k_j + IN_SL * k_sl;
    i.cl = ((REAL)0.109625 * (IN_J / (1 + (REAL)0.1 / y[CA_J]) + IN_SL / (1 + (REAL)0.1 / y[CA_SL])) + (REAL)9e-3) *
           (v - CL_VOLT);
    return i;
}

/* Binding to a buffer: what is bound grows by on * free * (total - bound) - off * bound. */
MODEL REAL bind(REAL on, REAL off, REAL total, REAL free, const REAL *y, REAL *dy, int bound)
{
    return dy[bound] = on * free * (total - y[bound]) - off * y[bound];
}

/* What flows into the calcium store and out of it; pump and release in mM/ms of the store, the leak of the cytosol. */
typedef struct store_flows {
    REAL pump, release, leak;
} store_flows;

MODEL store_flows store(const REAL *y, REAL *dy, const REAL *p)
{
    store_flows s;
    REAL max_ratio = 15 - 14 / (1 + POW((REAL)0.45 / y[CA_SR], (REAL)2.5));
    REAL ko = 10 / max_ratio, ki = (REAL)0.5 * max_ratio, ca = y[CA_J];
    REAL inactive = 1 - y[RYR_R] - y[RYR_O] - y[RYR_I];
    REAL close_i = ki * ca, open = ko * ca * ca;
    dy[RYR_R] = (REAL)0.005 * inactive - close_i * y[RYR_R] - open * y[RYR_R] + (REAL)0.06 * y[RYR_O];
    dy[RYR_O] = open * y[RYR_R] - (REAL)0.06 * y[RYR_O] - close_i * y[RYR_O] + (REAL)0.005 * y[RYR_I];
    dy[RYR_I] = close_i * y[RYR_O] - (REAL)0.005 * y[RYR_I] - (REAL)0.06 * y[RYR_I] + open * inactive;
    REAL forward = POW(y[CA_I] / (REAL)0.246e-3, (REAL)1.787), backward = POW(y[CA_SR] / (REAL)1.7, (REAL)1.787);
    s.pump = p[SCALE_SERCA] * (REAL)5.3114e-3 * (forward - backward) / (1 + forward + backward);
    s.release = 25 * p[SCALE_RYR] * y[RYR_O] * (y[CA_SR] - y[CA_J]);
    s.leak = (REAL)5.348e-6 * (y[CA_SR] - y[CA_J]);
    REAL csqn = bind(100, 65, (REAL)2.7, y[CA_SR], y, dy, CSQN_B);
    dy[CA_SR] = s.pump - (s.leak * V_MYO / V_SR + s.release) - csqn;
    return s;
}

/* Excitation and contraction: all but calmodulin, whose calcium the caller has summed in `taken` (mM/ms) by place. */
MODEL void ecc(REAL t, const REAL *y, REAL *dy, const REAL *p, const REAL *taken)
{
    sodium_gates(y, dy);
    other_gates(y, dy);
    currents i = all_currents(y, p);
    store_flows s = store(y, dy, p);
    REAL na_j = bind((REAL)1e-4, (REAL)1e-3, (REAL)7.561, y[NA_J], y, dy, NA_J_B);
    REAL na_sl = bind((REAL)1e-4, (REAL)1e-3, (REAL)1.65, y[NA_SL], y, dy, NA_SL_B);
    REAL ca = y[CA_I], both = (REAL)0.14 - y[TNC_HC] - y[TNC_HM], free_myosin = (REAL)0.14 - y[MYO_C] - y[MYO_M];
    REAL bound = bind((REAL)32.7, (REAL)19.6e-3, (REAL)0.07, ca, y, dy, TNC_L);
    bound += dy[TNC_HC] = (REAL)2.37 * ca * both - (REAL)0.032e-3 * y[TNC_HC];
    dy[TNC_HM] = (REAL)3e-3 * both - (REAL)3.33e-3 * y[TNC_HM];
    bound += bind(34, (REAL)0.238, (REAL)0.024, ca, y, dy, CAM_B);
    bound += dy[MYO_C] = (REAL)13.8 * ca * free_myosin - (REAL)0.46e-3 * y[MYO_C];
    dy[MYO_M] = (REAL)0.0157 * free_myosin - (REAL)0.057e-3 * y[MYO_M];
    bound += bind(100, (REAL)0.06, (REAL)17.1e-3, ca, y, dy, SR_B);
    REAL in_j = bind(100, (REAL)1.3, (REAL)0.5571, y[CA_J], y, dy, SLL_J) +
                bind(100, (REAL)0.03, (REAL)0.199, y[CA_J], y, dy, SLH_J);
    REAL in_sl = bind(100, (REAL)1.3, (REAL)1.2148, y[CA_SL], y, dy, SLL_SL) +
                 bind(100, (REAL)0.03, (REAL)0.4339, y[CA_SL], y, dy, SLH_SL);
    REAL per_ion = CMEM / FARADAY, ca_j_sl = (REAL)8.2413e-13 * (y[CA_SL] - y[CA_J]);
    REAL ca_sl_i = (REAL)3.7243e-12 * (y[CA_I] - y[CA_SL]), na_j_sl = (REAL)1.8313e-14 * (y[NA_SL] - y[NA_J]);
    REAL na_sl_i = (REAL)1.6386e-12 * (y[NA_I] - y[NA_SL]);
    dy[NA_J] = -i.na_j * per_ion / V_J + na_j_sl / V_J - na_j;
    dy[NA_SL] = -i.na_sl * per_ion / V_SL + (na_sl_i - na_j_sl) / V_SL - na_sl;
    dy[NA_I] = -na_sl_i / V_MYO;
    dy[K_I] = -i.k * per_ion / V_MYO;
    dy[CA_J] = -i.ca_j * per_ion / (2 * V_J) + ca_j_sl / V_J - in_j - taken[0] +
               (s.release * V_SR + s.leak * V_MYO) / V_J;
    dy[CA_SL] = -i.ca_sl * per_ion / (2 * V_SL) + (ca_sl_i - ca_j_sl) / V_SL - in_sl - taken[1];
    dy[CA_I] = -s.pump * V_SR / V_MYO - bound - ca_sl_i / V_MYO - taken[2];
    dy[FORCE] = (y[TNC_L] / (REAL)0.07 - y[FORCE]) / 20;
    REAL stimulus = t < p[STIMULUS_MS] ? p[STIMULUS] : 0;
    dy[VOLT] = stimulus - (i.na_j + i.na_sl + i.k + i.ca_j + i.ca_sl + i.cl);
}

/* Calmodulin of one place with its buffer, kinase (shares of it) and phosphatase; c are its 15 variables. Returns the
 * calcium it takes up, in uM/ms. */
MODEL REAL cam(const REAL *c, REAL *dc, REAL ca, REAL buffer_total, REAL kinase_total, REAL phosphatase_total)
{
    REAL ca2 = ca * ca, buffer = buffer_total - c[3] - c[4] - c[5];
    REAL add2 = (REAL)1.2e-3 * ca2 * c[0] - (REAL)0.1 * c[1], add4 = (REAL)5e-3 * ca2 * c[1] - (REAL)0.5 * c[2];
    REAL add2b = (REAL)1.2e-3 * ca2 * c[3] - (REAL)0.1 * c[4], add4b = (REAL)5e-3 * ca2 * c[4] - (REAL)0.5 * c[5];
    REAL to0b = (REAL)1.4e-5 * c[0] * buffer - (REAL)1.4e-3 * c[3];
    REAL to2b = (REAL)1.4e-5 * c[1] * buffer - (REAL)1.4e-3 * c[4];
    REAL to4b = (REAL)1.4e-5 * c[2] * buffer - (REAL)1.4e-3 * c[5];
    REAL idle = 1 - c[6] - c[7] - c[8] - c[9] - c[10], active = c[7] + c[8] + c[9] + c[10];
    REAL ib2 = (REAL)2e-5 * c[1] * idle - (REAL)1e-3 * c[6], b2b = (REAL)1e-3 * ca2 * c[6] - (REAL)8e-4 * c[7];
    REAL ib = (REAL)5e-4 * c[2] * idle - (REAL)8e-4 * c[7];
    REAL own = (REAL)0.055e-3 * active + (REAL)0.0074e-3 * active * active + (REAL)0.015e-3 * active * active * active;
    REAL undo = (REAL)1.72e-3 * (REAL)95.6;
    REAL bt = own * c[7] - undo * c[8] / ((REAL)11.5 + kinase_total * c[8]);
    REAL tt2 = (REAL)1e-3 * c[8] - (REAL)1e-3 * ca2 * c[9];
    REAL ta = (REAL)8e-7 * c[8] - (REAL)1e-6 * c[2] * c[10], t2a = (REAL)8e-6 * c[9] - (REAL)1e-6 * c[1] * c[10];
    REAL t2b2 = undo * c[9] / ((REAL)11.5 + kinase_total * c[9]);
    REAL ai = undo * c[10] / ((REAL)11.5 + kinase_total * c[10]);
    REAL unbound = phosphatase_total - c[11] - c[12] - c[13] - c[14];
    REAL can4 = (REAL)2e-3 * ca2 * unbound - (REAL)1e-3 * c[11];
    REAL can0 = (REAL)4.6e-5 * c[0] * c[11] - (REAL)1.3e-3 * c[12];
    REAL can2 = (REAL)4.6e-4 * c[1] * c[11] - (REAL)1.3e-4 * c[13];
    REAL can_full = (REAL)4.6e-3 * c[2] * c[11] - (REAL)1.3e-6 * c[14];
    REAL up2 = (REAL)1.2e-3 * ca2 * c[12] - (REAL)0.1 * c[13], up4 = (REAL)5e-3 * ca2 * c[13] - (REAL)0.5 * c[14];
    dc[0] = -add2 - to0b - can0;
    dc[1] = add2 - add4 - to2b - can2 + kinase_total * (-ib2 + t2a);
    dc[2] = add4 - to4b - can_full + kinase_total * (-ib + ta);
    dc[3] = to0b - add2b;
    dc[4] = add2b + to2b - add4b;
    dc[5] = add4b + to4b;
    dc[6] = ib2 - b2b + t2b2;
    dc[7] = ib + b2b - bt;
    dc[8] = bt - ta - tt2;
    dc[9] = tt2 - t2a - t2b2;
    dc[10] = ta + t2a - ai;
    dc[11] = can4 - can0 - can2 - can_full;
    dc[12] = can0 - up2;
    dc[13] = can2 + up2 - up4;
    dc[14] = can_full + up4;
    return 2 * (add2 + add4 + add2b + add4b + up2 + up4 + kinase_total * (b2b - tt2)) + 4 * can4;
}

/* The right-hand side: dy = f(t, y). */
MODEL void derivatives(REAL t, const REAL *y, REAL *dy, const REAL *p)
{
    const REAL *cam_y = y + ECC_EQUATIONS;
    REAL *cam_dy = dy + ECC_EQUATIONS, taken[3];
    taken[0] = (REAL)1e-3 * cam(cam_y, cam_dy, y[CA_J] * 1000, 0, 120, (REAL)3.62);
    taken[1] = (REAL)1e-3 * cam(cam_y + 15, cam_dy + 15, y[CA_SL] * 1000, (REAL)24.2, (REAL)0.0994, (REAL)0.0023);
    taken[2] = (REAL)1e-3 * cam(cam_y + 30, cam_dy + 30, y[CA_I] * 1000, (REAL)24.2, (REAL)0.0994, (REAL)0.0023);
    ecc(t, y, dy, p, taken);
    for (int place = 0; place < 3; place++) {
        const REAL *c = cam_dy + CAM_EQUATIONS * place;
        dy[CAM_TOTAL + place] = c[0] + c[1] + c[2] + c[3] + c[4] + c[5] + c[12] + c[13] + c[14];
    }
}
