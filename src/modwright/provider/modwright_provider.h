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

#define FIELD_BYTES 32 /* P-256 and 2^255 - 19 */
#define FIELD_WORDS 8
#define EC_WORDS 17 /* P-521: OpenSSL names no wider curve over a prime field */

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

#define MWP_MOST_DEVICES MW_MOST_SOCKETS

/* The devices for a kind of key: any of them does an operation. */
struct pool {
    const struct mw_core *core;
    char *text; /* that the addresses are in */
    const char *addresses[MWP_MOST_DEVICES];
    size_t count;
    int set;           /* there is a setting; without it, there are no algorithms */
    const char *fault; /* of the setting */
    int uio;           /* they are UIO's, and else sockets */
    uint32_t milliseconds;
};

/* A device of a pool for one operation. */
struct lease {
    const char *address;
    struct mw_socket wire;
    struct mw_uio uio;
    struct mw_device device;
};

struct context {
    OSSL_LIB_CTX *libctx; /* with the default provider, for what is public */
    OSSL_PROVIDER *base;
    RSA_METHOD *method;
    struct pool rsa, ec, ecdsa, x25519, ed25519;
    BIGNUM *p, *a, *b, *order; /* of P-256 */
    EC_GROUP *group;
    OSSL_ALGORITHM keymgmts[5], signatures[4], ciphers[2], exchanges[3]; /* of the devices that are set */
};

enum kind { KIND_RSA, KIND_EC, KIND_X25519, KIND_ED25519 };

struct key {
    struct context *c;
    enum kind kind;
    EVP_PKEY *plain;  /* in the default provider */
    EVP_PKEY *device; /* RSA with the method of the device, once there is a private key */
    EC_GROUP *group;  /* EC */
    int is_private;
};

/* 0, with an error raised. */
int mwp_failed(int reason, const char *text);

/* Addresses with commas between. A core without a setting, or a setting without a core, gives no algorithms. */
int mwp_pool_set(struct pool *pool, const struct mw_core *core, const char *addresses, const char *milliseconds);
void mwp_pool_free(struct pool *pool);

/* Waits for a device of the pool that is free, and has it for one operation; 0, with an error raised. */
int mwp_lease(const struct pool *pool, struct lease *lease);

/* Gives a device back after an operation, reset: 1, or 0 with an error raised for a status below 0. */
int mwp_done(struct lease *lease, int status);

/* r = base^exponent mod m, for base < m. */
int mwp_device_power(const struct pool *pool, BIGNUM *r, const BIGNUM *base, const BIGNUM *exponent, const BIGNUM *m);

/* (rx, ry) = [k](x, y) on P-256, a finite point that satisfies the equation of the curve. */
int mwp_device_multiply(struct context *c, BIGNUM *rx, BIGNUM *ry, const BIGNUM *k, const BIGNUM *x, const BIGNUM *y);

/* secret = X25519(k, u) of RFC 7748, section 5; no result for u of small order. */
int mwp_device_x25519(struct context *c, unsigned char *secret, const unsigned char *k, const unsigned char *u);

/* (rx, ry) = [r]B on edwards25519, with the base point B of RFC 8032, section 5.1; words of r, as of the result. */
int mwp_device_ed25519(struct context *c, uint32_t *rx, uint32_t *ry, const uint32_t *r);

/* A number of 255 bits and its bytes, the least significant first; the highest bit is not looked at. */
void mwp_from_little(uint32_t *words, const unsigned char *bytes);
void mwp_to_little(unsigned char *bytes, const uint32_t *words);

/* Words of a number that is not negative and fits, and the number of words; 0 for a failure. */
int mwp_to_words(uint32_t *words, size_t count, const BIGNUM *a);
int mwp_from_words(BIGNUM *a, const uint32_t *words, size_t count);

/* Whether the devices for whole ECDSA take a curve: a prime field, a prime order, and no number of more bits than theirs. */
int mwp_ecdsa_takes(const struct context *c, const EC_GROUP *group);

/* Whether the devices for products of points take it: P-256. */
int mwp_multiply_takes(const struct context *c, const EC_GROUP *group);

/* A new key on a curve that the devices for ECDSA take, its public half made by one of them. */
EVP_PKEY *mwp_ecdsa_generate(struct context *c, const EC_GROUP *group);

/* Whether a signature of the devices under a private key verifies under its public one. */
int mwp_ecdsa_fits(struct key *key);

/* The signature of a digest in DER, checked with the public key; `hash` names the hash of its nonce, RFC 6979. */
int mwp_ecdsa_sign(struct key *key, unsigned char *sig, size_t *length, size_t room, const unsigned char *digest,
                   size_t size, const char *hash);

/* By a device: 1 for a signature that is valid, 0 for one that is not, -1 with an error raised. */
int mwp_ecdsa_verify(struct key *key, const unsigned char *sig, size_t length, const unsigned char *digest, size_t size);

/* A number of a key, the caller's to free; NULL where there is none. */
BIGNUM *mwp_number(const EVP_PKEY *key, const char *name);

/* The RSA key with the method of the device. */
EVP_PKEY *mwp_rsa_on_device(struct context *c, const EVP_PKEY *plain);

/* The exponentiation of an RSA_METHOD whose application data is a `struct context`. */
int mwp_rsa_mod_exp(BIGNUM *r, const BIGNUM *value, RSA *rsa, BN_CTX *scratch);

extern const OSSL_DISPATCH mwp_rsa_keymgmt[], mwp_ec_keymgmt[], mwp_x25519_keymgmt[], mwp_ed25519_keymgmt[];
extern const OSSL_DISPATCH mwp_signature[], mwp_eddsa[], mwp_cipher[], mwp_exchange[], mwp_x25519[];

#endif
