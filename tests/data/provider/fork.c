/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures and shared secrets of P-256 in forked children, after the parent has used the device. Arguments: key file,
 * children, operations of each. It prints how many were right, wrong, and refused. */
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/provider.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RIGHT, WRONG, REFUSED };

static EVP_PKEY *read_key(const char *path, const char *properties, OSSL_LIB_CTX *libctx)
{
    FILE *file = fopen(path, "r");
    EVP_PKEY *key = file ? PEM_read_PrivateKey_ex(file, NULL, NULL, NULL, libctx, properties) : NULL;
    if (file) fclose(file);
    return key;
}

static int signature(EVP_PKEY *key, EVP_PKEY *stock, OSSL_LIB_CTX *libctx)
{
    unsigned char digest[32], made[100];
    size_t length = sizeof made;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(key, NULL), *check = EVP_PKEY_CTX_new_from_pkey(libctx, stock, NULL);
    int result = REFUSED;
    for (size_t k = 0; k < sizeof digest; ++k) digest[k] = (unsigned char)rand();
    if (EVP_PKEY_sign_init(ctx) > 0 && EVP_PKEY_sign(ctx, made, &length, digest, sizeof digest) > 0)
        result = EVP_PKEY_verify_init(check) > 0 && EVP_PKEY_verify(check, made, length, digest, sizeof digest) == 1
                     ? RIGHT
                     : WRONG;
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_CTX_free(check);
    return result;
}

/* In the library context that is given: a key alone does not say which provider takes part. */
static int derive(EVP_PKEY *key, EVP_PKEY *peer, OSSL_LIB_CTX *libctx, unsigned char *secret)
{
    size_t length = 32;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(libctx, key, NULL);
    const int good = EVP_PKEY_derive_init(ctx) > 0 && EVP_PKEY_derive_set_peer(ctx, peer) > 0
                     && EVP_PKEY_derive(ctx, secret, &length) > 0;
    EVP_PKEY_CTX_free(ctx);
    return good;
}

static int secret(EVP_PKEY *key, EVP_PKEY *stock, OSSL_LIB_CTX *libctx)
{
    unsigned char made[32], expected[32];
    EVP_PKEY *peer = EVP_PKEY_Q_keygen(libctx, "provider=default", "EC", "P-256");
    int result = REFUSED;
    if (peer && derive(stock, peer, libctx, expected) && derive(key, peer, NULL, made))
        result = memcmp(made, expected, sizeof made) ? WRONG : RIGHT;
    EVP_PKEY_free(peer);
    return result;
}

int main(int argc, char **argv)
{
    OSSL_LIB_CTX *libctx = OSSL_LIB_CTX_new(); /* without settings: no device */
    EVP_PKEY *key, *stock;
    int counts[3] = {0, 0, 0}, ends[2];
    if (argc < 4 || pipe(ends)) return 2;
    key = read_key(argv[1], NULL, NULL);
    stock = read_key(argv[1], NULL, libctx);
    if (!key || !stock) {
        ERR_print_errors_fp(stderr);
        return 3;
    }
    ++counts[signature(key, stock, libctx)];
    for (int child = 0; child < atoi(argv[2]); ++child)
        if (fork() == 0) {
            srand((unsigned)child + 1u);
            for (int n = 0; n < atoi(argv[3]); ++n) {
                const unsigned char results[] = {(unsigned char)signature(key, stock, libctx),
                                                 (unsigned char)secret(key, stock, libctx)};
                if (write(ends[1], results, sizeof results) != sizeof results) _exit(4);
            }
            ERR_print_errors_fp(stderr);
            _exit(0);
        }
    close(ends[1]);
    ++counts[signature(key, stock, libctx)];
    for (unsigned char result; read(ends[0], &result, 1) == 1;) ++counts[result];
    while (wait(NULL) > 0) continue;
    printf("right %d wrong %d refused %d\n", counts[RIGHT], counts[WRONG], counts[REFUSED]);
    return 0;
}
