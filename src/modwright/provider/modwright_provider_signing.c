/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures, and decryption with RSA; a signature is checked before it is released. */
#include "modwright_provider.h"

#include <stdlib.h>
#include <string.h>

#define HASH_NAME 50 /* bytes of a name, as OpenSSL's own provider has them */

struct signing {
    struct context *c;
    struct key *key;
    int sign;
    EVP_MD_CTX *digest;  /* of a message; of RSA, and of every verification in software, with the key */
    EVP_PKEY_CTX *plain; /* of RSA, and of verifications in software; belongs to `digest` where there is one */
    int own;             /* `plain` does not */
    int cipher;          /* a decryption or an encryption */
    char hash[HASH_NAME]; /* of a message, or of a digest that comes ready; empty where nobody says */
};

static void *signing_new(void *c, const char *properties)
{
    struct signing *s = OPENSSL_zalloc(sizeof *s);
    (void)properties;
    if (s) s->c = c;
    return s;
}

static void signing_clear(struct signing *s)
{
    if (s->own) EVP_PKEY_CTX_free(s->plain);
    EVP_MD_CTX_free(s->digest);
    s->digest = NULL;
    s->plain = NULL;
    s->own = 0;
}

static void signing_free(void *data)
{
    struct signing *s = data;
    if (!s) return;
    signing_clear(s);
    OPENSSL_free(s);
}

static void *signing_dup(void *data)
{
    const struct signing *s = data;
    struct signing *copy = OPENSSL_zalloc(sizeof *copy);
    if (!copy) return NULL;
    copy->c = s->c;
    copy->key = s->key;
    copy->sign = s->sign;
    copy->own = s->own;
    copy->cipher = s->cipher;
    OPENSSL_strlcpy(copy->hash, s->hash, sizeof copy->hash);
    if (s->digest) {
        copy->digest = EVP_MD_CTX_new();
        if (!copy->digest || !EVP_MD_CTX_copy_ex(copy->digest, s->digest)) goto bad;
        if (s->plain) copy->plain = EVP_MD_CTX_get_pkey_ctx(copy->digest);
    } else if (s->plain && !(copy->plain = EVP_PKEY_CTX_dup(s->plain))) goto bad;
    return copy;
bad:
    signing_free(copy);
    return NULL;
}

#define NO_SETTING (-100) /* below every padding mode and salt length of OpenSSL, which refuses the number */
/* A padding mode or a salt length, as an integer or as its word; NO_SETTING for what is neither. */
static int rsa_setting(const OSSL_PARAM *p)
{
    static const struct {
        const char *word;
        int value;
    } words[] = {
        {OSSL_PKEY_RSA_PAD_MODE_PKCSV15, RSA_PKCS1_PADDING},
        {OSSL_PKEY_RSA_PAD_MODE_PSS, RSA_PKCS1_PSS_PADDING},
        {OSSL_PKEY_RSA_PAD_MODE_OAEP, RSA_PKCS1_OAEP_PADDING},
        {OSSL_PKEY_RSA_PAD_MODE_NONE, RSA_NO_PADDING},
        {OSSL_PKEY_RSA_PSS_SALT_LEN_DIGEST, RSA_PSS_SALTLEN_DIGEST},
        {OSSL_PKEY_RSA_PSS_SALT_LEN_MAX, RSA_PSS_SALTLEN_MAX},
        {OSSL_PKEY_RSA_PSS_SALT_LEN_AUTO, RSA_PSS_SALTLEN_AUTO},
    };
    int value = NO_SETTING;
    const char *text = NULL;
    char *end;
    if (OSSL_PARAM_get_int(p, &value)) return value;
    if (!OSSL_PARAM_get_utf8_string_ptr(p, &text) || !*text) return NO_SETTING;
    for (size_t n = 0; n < sizeof words / sizeof *words; ++n)
        if (strcmp(words[n].word, text) == 0) return words[n].value;
    value = (int)strtol(text, &end, 10);
    return *end ? NO_SETTING : value;
}

static const EVP_MD *hash_of(const OSSL_PARAM *p)
{
    const char *name = NULL;
    return OSSL_PARAM_get_utf8_string_ptr(p, &name) ? EVP_get_digestbyname(name) : NULL;
}

/* Settings of RSA; of ECDSA the hash of a digest that comes ready. */
static int signing_set(void *data, const OSSL_PARAM params[])
{
    struct signing *s = data;
    const OSSL_PARAM *p;
    const char *name = NULL;
    if (params && s->key && s->key->kind == KIND_EC && !s->digest
        && (p = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_DIGEST)))
        return OSSL_PARAM_get_utf8_string_ptr(p, &name) && OPENSSL_strlcpy(s->hash, name, HASH_NAME) < HASH_NAME;
    if (!params || !s->plain || s->key->kind == KIND_EC) return 1;
    if ((p = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_PAD_MODE))
        && EVP_PKEY_CTX_set_rsa_padding(s->plain, rsa_setting(p)) <= 0)
        return 0;
    if ((p = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_PSS_SALTLEN))
        && EVP_PKEY_CTX_set_rsa_pss_saltlen(s->plain, rsa_setting(p)) <= 0)
        return 0;
    if ((p = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_MGF1_DIGEST))
        && EVP_PKEY_CTX_set_rsa_mgf1_md(s->plain, hash_of(p)) <= 0)
        return 0;
    if ((p = OSSL_PARAM_locate_const(params, OSSL_SIGNATURE_PARAM_DIGEST)) && !s->digest) {
        if (s->cipher) return EVP_PKEY_CTX_set_rsa_oaep_md(s->plain, hash_of(p)) > 0;
        return EVP_PKEY_CTX_set_signature_md(s->plain, hash_of(p)) > 0;
    }
    return 1;
}

/* Whether OpenSSL makes a digest only, and the device does the rest. */
static int is_by_digest(const struct signing *s)
{
    return s->key->kind == KIND_EC && (s->sign || mwp_ecdsa_takes(s->c, s->key->group));
}

/* Start again with a key; `mdname` NULL for a digest that comes ready. */
static int begin(struct signing *s, const char *mdname, struct key *key, const OSSL_PARAM params[], int sign)
{
    EVP_PKEY *inner;
    int good;
    if (!key && !s->key) return 0;
    signing_clear(s);
    if (key) s->key = key;
    s->sign = sign;
    OPENSSL_strlcpy(s->hash, mdname ? mdname : "", sizeof s->hash);
    if (sign && !s->key->is_private) return mwp_failed(PROV_R_MISSING_KEY, "no private key");
    if (mdname && !(s->digest = EVP_MD_CTX_new())) return 0;
    if (is_by_digest(s)) {
        EVP_MD *md;
        if (!mdname) return signing_set(s, params);
        md = EVP_MD_fetch(s->c->libctx, mdname, NULL);
        good = md && EVP_DigestInit_ex(s->digest, md, NULL);
        EVP_MD_free(md);
        return good;
    }
    inner = sign ? s->key->device : s->key->plain;
    if (mdname) {
        if (sign) good = EVP_DigestSignInit_ex(s->digest, &s->plain, mdname, s->c->libctx, NULL, inner, NULL) > 0;
        else good = EVP_DigestVerifyInit_ex(s->digest, &s->plain, mdname, s->c->libctx, NULL, inner, NULL) > 0;
    } else {
        s->plain = EVP_PKEY_CTX_new_from_pkey(s->c->libctx, inner, NULL);
        s->own = 1;
        good = s->plain && (sign ? EVP_PKEY_sign_init(s->plain) : EVP_PKEY_verify_init(s->plain)) > 0;
    }
    return good && signing_set(s, params);
}

static int digest_sign_init(void *s, const char *mdname, void *key, const OSSL_PARAM params[])
{
    return begin(s, mdname ? mdname : "SHA256", key, params, 1);
}

static int digest_verify_init(void *s, const char *mdname, void *key, const OSSL_PARAM params[])
{
    return begin(s, mdname ? mdname : "SHA256", key, params, 0);
}

static int sign_init(void *s, void *key, const OSSL_PARAM params[]) { return begin(s, NULL, key, params, 1); }
static int verify_init(void *s, void *key, const OSSL_PARAM params[]) { return begin(s, NULL, key, params, 0); }

static int digest_update(void *data, const unsigned char *bytes, size_t length)
{
    struct signing *s = data;
    return s->digest && EVP_DigestUpdate(s->digest, bytes, length);
}

/* Whether a digest that comes ready has the length of the hash that somebody named. */
static int is_of_hash(const struct signing *s, size_t size)
{
    EVP_MD *md = *s->hash ? EVP_MD_fetch(s->c->libctx, s->hash, NULL) : NULL;
    const int good = !*s->hash || (md && (size_t)EVP_MD_get_size(md) == size);
    EVP_MD_free(md);
    return good ? 1 : mwp_failed(PROV_R_INVALID_DIGEST_LENGTH, "the digest does not have the length of its hash");
}

static int sign(void *data, unsigned char *sig, size_t *length, size_t size, const unsigned char *digest,
                size_t digest_size)
{
    struct signing *s = data;
    if (!sig) {
        *length = (size_t)EVP_PKEY_get_size(s->key->plain);
        return 1;
    }
    if (s->key->kind == KIND_EC)
        return is_of_hash(s, digest_size) && mwp_ecdsa_sign(s->key, sig, length, size, digest, digest_size, s->hash);
    *length = size;
    return EVP_PKEY_sign(s->plain, sig, length, digest, digest_size) > 0;
}

static int digest_sign_final(void *data, unsigned char *sig, size_t *length, size_t size)
{
    struct signing *s = data;
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int digest_size = 0;
    if (!s->digest) return 0;
    if (!sig) {
        *length = (size_t)EVP_PKEY_get_size(s->key->plain);
        return 1;
    }
    if (s->key->kind == KIND_EC)
        return EVP_DigestFinal_ex(s->digest, digest, &digest_size)
               && mwp_ecdsa_sign(s->key, sig, length, size, digest, digest_size, s->hash);
    *length = size;
    return EVP_DigestSignFinal(s->digest, sig, length) > 0;
}

static int verify(void *data, const unsigned char *sig, size_t length, const unsigned char *digest, size_t digest_size)
{
    struct signing *s = data;
    if (is_by_digest(s))
        return is_of_hash(s, digest_size) ? mwp_ecdsa_verify(s->key, sig, length, digest, digest_size) : -1;
    return s->plain && EVP_PKEY_verify(s->plain, sig, length, digest, digest_size) == 1;
}

static int digest_verify_final(void *data, const unsigned char *sig, size_t length)
{
    struct signing *s = data;
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    if (s->digest && is_by_digest(s))
        return EVP_DigestFinal_ex(s->digest, digest, &size) ? mwp_ecdsa_verify(s->key, sig, length, digest, size) : -1;
    return s->digest && EVP_DigestVerifyFinal(s->digest, sig, length) == 1;
}

/* RSA's padding of one context in another. */
static int same_padding(EVP_PKEY_CTX *to, EVP_PKEY_CTX *from)
{
    int padding, salt;
    const EVP_MD *mask;
    if (EVP_PKEY_CTX_get_rsa_padding(from, &padding) <= 0 || EVP_PKEY_CTX_set_rsa_padding(to, padding) <= 0) return 0;
    if (padding != RSA_PKCS1_PSS_PADDING) return 1;
    return EVP_PKEY_CTX_get_rsa_pss_saltlen(from, &salt) > 0 && EVP_PKEY_CTX_set_rsa_pss_saltlen(to, salt) > 0
           && EVP_PKEY_CTX_get_rsa_mgf1_md(from, &mask) > 0 && EVP_PKEY_CTX_set_rsa_mgf1_md(to, mask) > 0;
}

/* The AlgorithmIdentifier of a signature, which certificates and requests carry: that of the default provider for the same
 * key, hash and padding. */
static int signing_get(void *data, OSSL_PARAM params[])
{
    struct signing *s = data;
    EVP_MD_CTX *digest;
    EVP_PKEY_CTX *plain = NULL;
    int good;
    if (!params || !OSSL_PARAM_locate(params, OSSL_SIGNATURE_PARAM_ALGORITHM_ID)) return 1;
    if (!s->key || !*s->hash || !(digest = EVP_MD_CTX_new())) return 0;
    good = EVP_DigestSignInit_ex(digest, &plain, s->hash, s->c->libctx, NULL, s->key->plain, NULL) > 0;
    if (good && s->key->kind == KIND_RSA) good = s->plain && same_padding(plain, s->plain);
    good = good && EVP_PKEY_CTX_get_params(plain, params) > 0;
    EVP_MD_CTX_free(digest);
    return good ? 1 : mwp_failed(ERR_R_INTERNAL_ERROR, "no identifier of this kind of signature");
}

LIST_FOR_TWO(signing_gettable, OSSL_PARAM_octet_string(OSSL_SIGNATURE_PARAM_ALGORITHM_ID, NULL, 0))

LIST_FOR_TWO(signing_settable,
             OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PAD_MODE, NULL, 0),
             OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, NULL, 0),
             OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_MGF1_DIGEST, NULL, 0),
             OSSL_PARAM_utf8_string(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, NULL, 0))

const OSSL_DISPATCH mwp_signature[] = {
    ENTRY(OSSL_FUNC_SIGNATURE_NEWCTX, signing_new),
    ENTRY(OSSL_FUNC_SIGNATURE_FREECTX, signing_free),
    ENTRY(OSSL_FUNC_SIGNATURE_DUPCTX, signing_dup),
    ENTRY(OSSL_FUNC_SIGNATURE_SIGN_INIT, sign_init),
    ENTRY(OSSL_FUNC_SIGNATURE_SIGN, sign),
    ENTRY(OSSL_FUNC_SIGNATURE_VERIFY_INIT, verify_init),
    ENTRY(OSSL_FUNC_SIGNATURE_VERIFY, verify),
    ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT, digest_sign_init),
    ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_UPDATE, digest_update),
    ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_FINAL, digest_sign_final),
    ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT, digest_verify_init),
    ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_UPDATE, digest_update),
    ENTRY(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_FINAL, digest_verify_final),
    ENTRY(OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS, signing_get),
    ENTRY(OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS, signing_gettable),
    ENTRY(OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS, signing_set),
    ENTRY(OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS, signing_settable),
    {0, NULL},
};

/* --- decryption with RSA */

static int cipher_begin(struct signing *s, struct key *key, const OSSL_PARAM params[], int decrypt)
{
    EVP_PKEY *inner;
    signing_clear(s);
    s->key = key;
    s->cipher = 1;
    if (decrypt && !key->is_private) return mwp_failed(PROV_R_MISSING_KEY, "no private key");
    inner = decrypt ? key->device : key->plain;
    s->plain = EVP_PKEY_CTX_new_from_pkey(s->c->libctx, inner, NULL);
    s->own = 1;
    return s->plain && (decrypt ? EVP_PKEY_decrypt_init(s->plain) : EVP_PKEY_encrypt_init(s->plain)) > 0
           && signing_set(s, params);
}

static void *cipher_new(void *c) { return signing_new(c, NULL); }
static int decrypt_init(void *s, void *key, const OSSL_PARAM params[]) { return cipher_begin(s, key, params, 1); }
static int encrypt_init(void *s, void *key, const OSSL_PARAM params[]) { return cipher_begin(s, key, params, 0); }

static int decrypt(void *data, unsigned char *out, size_t *length, size_t size, const unsigned char *in, size_t in_size)
{
    struct signing *s = data;
    *length = size;
    return EVP_PKEY_decrypt(s->plain, out, length, in, in_size) > 0;
}

static int encrypt(void *data, unsigned char *out, size_t *length, size_t size, const unsigned char *in, size_t in_size)
{
    struct signing *s = data;
    *length = size;
    return EVP_PKEY_encrypt(s->plain, out, length, in, in_size) > 0;
}

LIST_FOR_TWO(cipher_settable,
             OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_PAD_MODE, NULL, 0),
             OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST, NULL, 0),
             OSSL_PARAM_utf8_string(OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST, NULL, 0))

const OSSL_DISPATCH mwp_cipher[] = {
    ENTRY(OSSL_FUNC_ASYM_CIPHER_NEWCTX, cipher_new),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_FREECTX, signing_free),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_DUPCTX, signing_dup),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_DECRYPT_INIT, decrypt_init),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_DECRYPT, decrypt),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_ENCRYPT_INIT, encrypt_init),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_ENCRYPT, encrypt),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_SET_CTX_PARAMS, signing_set),
    ENTRY(OSSL_FUNC_ASYM_CIPHER_SETTABLE_CTX_PARAMS, cipher_settable),
    {0, NULL},
};
