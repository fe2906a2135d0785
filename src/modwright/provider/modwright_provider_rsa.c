/* SPDX-License-Identifier: Apache-2.0 */
/* RSA's private part with the device's method. */
#include "modwright_provider.h"

int mwp_rsa_mod_exp(BIGNUM *r, const BIGNUM *value, RSA *rsa, BN_CTX *scratch)
{
    struct context *c = RSA_meth_get0_app_data(RSA_get_method(rsa));
    const BIGNUM *n, *e, *p, *q, *dp, *dq, *inverse;
    BIGNUM *reduced, *m1, *m2;
    int good = 0;
    RSA_get0_key(rsa, &n, &e, NULL);
    RSA_get0_factors(rsa, &p, &q);
    RSA_get0_crt_params(rsa, &dp, &dq, &inverse);
    BN_CTX_start(scratch);
    reduced = BN_CTX_get(scratch);
    m1 = BN_CTX_get(scratch);
    m2 = BN_CTX_get(scratch);
    if (!m2 || !p || !q || !dp || !dq || !inverse) goto end;
    if (!BN_mod(reduced, value, p, scratch) || !mwp_device_power(&c->rsa, m1, reduced, dp, p)) goto end;
    if (!BN_mod(reduced, value, q, scratch) || !mwp_device_power(&c->rsa, m2, reduced, dq, q)) goto end;
    /* Garner: m2 + q * ((m1 - m2) * inverse mod p) */
    if (!BN_mod_sub(m1, m1, m2, p, scratch) || !BN_mod_mul(m1, m1, inverse, p, scratch)) goto end;
    if (!BN_mul(m1, m1, q, scratch) || !BN_add(r, m1, m2)) goto end;
    if (!BN_mod_exp(reduced, r, e, n, scratch)) goto end;
    if (BN_cmp(reduced, value) != 0) {
        BN_zero(r);
        mwp_failed(ERR_R_INTERNAL_ERROR, "the device gave a wrong result; it was not released");
        goto end;
    }
    good = 1;
end:
    if (m2) {
        BN_clear(reduced);
        BN_clear(m1);
        BN_clear(m2);
    }
    BN_CTX_end(scratch);
    return good;
}

/* The RSA key with the method of the device. */
EVP_PKEY *mwp_rsa_on_device(struct context *c, const EVP_PKEY *plain)
{
    BIGNUM *n = mwp_number(plain, OSSL_PKEY_PARAM_RSA_N), *e = mwp_number(plain, OSSL_PKEY_PARAM_RSA_E);
    BIGNUM *d = mwp_number(plain, OSSL_PKEY_PARAM_RSA_D);
    BIGNUM *p = mwp_number(plain, OSSL_PKEY_PARAM_RSA_FACTOR1), *q = mwp_number(plain, OSSL_PKEY_PARAM_RSA_FACTOR2);
    BIGNUM *dp = mwp_number(plain, OSSL_PKEY_PARAM_RSA_EXPONENT1);
    BIGNUM *dq = mwp_number(plain, OSSL_PKEY_PARAM_RSA_EXPONENT2);
    BIGNUM *inverse = mwp_number(plain, OSSL_PKEY_PARAM_RSA_COEFFICIENT1);
    RSA *rsa = RSA_new();
    EVP_PKEY *key = EVP_PKEY_new();
    if (!rsa || !key || !n || !e || !d || !p || !q || !dp || !dq || !inverse) goto bad;
    if (!RSA_set_method(rsa, c->method)) goto bad;
    if (!RSA_set0_key(rsa, n, e, d)) goto bad;
    n = e = d = NULL;
    if (!RSA_set0_factors(rsa, p, q)) goto bad;
    p = q = NULL;
    if (!RSA_set0_crt_params(rsa, dp, dq, inverse)) goto bad;
    dp = dq = inverse = NULL;
    if (!EVP_PKEY_assign_RSA(key, rsa)) goto bad;
    return key;
bad:
    BN_free(n);
    BN_free(e);
    BN_clear_free(d);
    BN_clear_free(p);
    BN_clear_free(q);
    BN_clear_free(dp);
    BN_clear_free(dq);
    BN_clear_free(inverse);
    RSA_free(rsa);
    EVP_PKEY_free(key);
    return NULL;
}
