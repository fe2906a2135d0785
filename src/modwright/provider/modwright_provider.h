/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the provider share; names that the linker sees begin with mwp_ or mw_. */
#ifndef MODWRIGHT_PROVIDER_H
#define MODWRIGHT_PROVIDER_H

#define OPENSSL_SUPPRESS_DEPRECATED /* RSA_METHOD is the one way to keep OpenSSL's padding and blinding */
#include "modwright_linux.h"

#include <openssl/bn.h>
#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/provider.h>
#include <openssl/proverr.h>
#include <openssl/rsa.h>
#include <sys/types.h>

#define FIELD_BYTES 32 /* P-256 */
#define FIELD_WORDS 8

typedef void (*function)(void);
#define ENTRY(id, f) {id, (function)(f)}

/* A function of a dispatch table that gives a fixed list of parameters, whatever its argument is; or its two. */
#define LIST_FOR(name, type, ...) \
    static const OSSL_PARAM *name(type ignored) \
    { \
        static const OSSL_PARAM list[] = {__VA_ARGS__, OSSL_PARAM_END}; \
        (void)ignored; \
        return list; \
    }
#define LIST_FOR_TWO(name, ...) \
    static const OSSL_PARAM *name(void *ignored, void *also_ignored) \
    { \
        static const OSSL_PARAM list[] = {__VA_ARGS__, OSSL_PARAM_END}; \
        (void)ignored; \
        (void)also_ignored; \
        return list; \
    }

struct device {
    const struct mw_core *core;
    const char *address;
    uint32_t milliseconds;
    CRYPTO_RWLOCK *lock;
    int open;
    pid_t owner; /* the process that opened it */
    struct mw_socket wire;
    struct mw_uio uio;
    struct mw_device device;
};

struct context {
    OSSL_LIB_CTX *libctx; /* with the default provider, for what is public */
    OSSL_PROVIDER *base;
    RSA_METHOD *method;
    struct device rsa, ec;
    BIGNUM *p, *a, *b, *order; /* of P-256 */
    EC_GROUP *group;
};

enum kind { KIND_RSA, KIND_EC };

struct key {
    struct context *c;
    enum kind kind;
    EVP_PKEY *plain;  /* in the default provider */
    EVP_PKEY *device; /* RSA with the method of the device, once there is a private key */
    int is_private;
};

/* 0, with an error raised. */
int mwp_failed(int reason, const char *text);

/* A core without a setting, or a setting without a core, gives no algorithms. */
int mwp_device_set(struct device *d, const struct mw_core *core, const char *address, const char *milliseconds);
void mwp_device_free(struct device *d);

/* r = base^exponent mod m, for base < m. */
int mwp_device_power(struct device *d, BIGNUM *r, const BIGNUM *base, const BIGNUM *exponent, const BIGNUM *m);

/* (rx, ry) = [k](x, y) on P-256, a finite point that satisfies the equation of the curve. */
int mwp_device_multiply(struct context *c, BIGNUM *rx, BIGNUM *ry, const BIGNUM *k, const BIGNUM *x, const BIGNUM *y);

/* A number of a key, the caller's to free; NULL where there is none. */
BIGNUM *mwp_number(const EVP_PKEY *key, const char *name);

/* The exponentiation of an RSA_METHOD whose application data is a `struct context`. */
int mwp_rsa_mod_exp(BIGNUM *r, const BIGNUM *value, RSA *rsa, BN_CTX *scratch);

extern const OSSL_DISPATCH mwp_rsa_keymgmt[], mwp_ec_keymgmt[], mwp_signature[], mwp_cipher[], mwp_exchange[];

#endif
