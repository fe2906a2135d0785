/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver for cores made by Modwright, behind their registers (AXI4-Lite or Wishbone).
 *
 * C99, freestanding: no function and no header of a C library, no allocation. One device is used by one thread at a
 * time. Numbers are arrays of 32-bit words, the least significant word first; mw_from_bytes and mw_to_bytes convert
 * between these and big-endian bytes. Operands and results are plain: conversions into what a core needs instead are
 * made by the core itself. Constants of a modulus are computed with its first operation and kept, here and in the
 * device, until another modulus comes or mw_forget is called. Times depend on no operand, also where the CPU has no
 * multiplier; they do depend on whether a modulus is that of the operation before, and on its length.
 *
 * What a core is, is described by `struct mw_core`, which is generated with it (<core>_core.c).
 */
#ifndef MODWRIGHT_H
#define MODWRIGHT_H

#include <stddef.h>
#include <stdint.h>

#ifndef MW_MAX_BITS
#define MW_MAX_BITS 4096 /* of a modulus or an exponent; mw_device has six numbers of this size, the stack four */
#endif
#ifndef MW_BARRIER /* between a write to the device and a read that has to come after it; empty where the CPU waits */
#if defined(__riscv)
#define MW_BARRIER() __asm__ volatile("fence iorw, iorw" ::: "memory")
#elif defined(__aarch64__) || (defined(__ARM_ARCH) && __ARM_ARCH >= 7)
#define MW_BARRIER() __asm__ volatile("dsb sy" ::: "memory")
#elif defined(__powerpc__)
#define MW_BARRIER() __asm__ volatile("sync" ::: "memory")
#else
#define MW_BARRIER() ((void)0)
#endif
#endif
#define MW_WORD_BITS 32u
#define MW_WORDS ((MW_MAX_BITS + 31) / 32 + 8) /* a core's own representation may be longer by some bits */
#define MW_KEPT 6                              /* numbers that belong to a modulus: itself, and the constants of a curve */

/* What functions return. */
enum {
    MW_OK = 0,
    MW_INFINITY = 1,       /* mw_ecpm: the point at infinity; rx and ry are 0 */
    MW_E_BUS = -1,         /* an access failed */
    MW_E_TIMEOUT = -2,     /* no result in time; the core was reset */
    MW_E_IDENTITY = -3,    /* another core, or no core */
    MW_E_FUNCTION = -4,    /* the core computes something else */
    MW_E_RANGE = -5,       /* an operand is not below the modulus, or too long */
    MW_E_MODULUS = -6,     /* the modulus is even, below 3, too long, missing, not the fixed one, or a channel divides it */
    MW_E_CORE = -7,        /* the core reports an error: see mw_device.error */
    MW_E_UNSUPPORTED = -8, /* the core's representation is not known to this driver */
    MW_E_RANDOM = -9,      /* the core needs random numbers: mw_device.random is missing, or failed */
    MW_E_BUSY = -10,       /* others use the device (modwright_linux.h) */
    MW_E_PEER = -11,       /* the socket of the device is another user's (modwright_linux.h) */
    MW_E_SIGNATURE = -12   /* the signature is not valid */
};

/* FUNCTION.CODE */
enum {
    MW_MODMUL = 1,
    MW_MODINV = 2,
    MW_MODEXP = 3,
    MW_ECPM = 4,
    MW_MODADD = 6,
    MW_XMUL = 7,
    MW_EDMUL = 8,
    MW_ECDSA = 9,
    MW_EDDSA = 10
};

/* How the registers are reached. Functions return 0, or not 0 when the access failed. */
struct mw_bus {
    void *context;
    int (*read)(void *context, uint32_t offset, uint32_t *value);
    int (*write)(void *context, uint32_t offset, uint32_t value);
    /* Waits for the interrupt: 1 when it is there, 0 when the time is over, below 0 when waiting failed.
     * NULL where there is none: STATUS is polled then. */
    int (*wait)(void *context, uint32_t milliseconds);
    /* Registers in the address space, aligned to 4 bytes, or NULL; then read and write are not used. A CPU that posts
     * its writes needs MW_BARRIER. A big-endian CPU whose bus keeps bytes in their places sees words swapped: mw_open
     * finds that by the register ID. */
    volatile uint32_t *base;
};

/* How the field of a core's operands comes from plain ones. */
enum {
    MW_FORM_OPERAND = 0,  /* an operand below m; in the core's representation where mw_core.power is not 0 */
    MW_FORM_SCALAR = 1,   /* an exponent or a scalar, as it is */
    MW_FORM_MODULUS = 2,  /* m */
    MW_FORM_POWER = 3,    /* 2^power mod m */
    MW_FORM_NEGINV = 4,   /* -m^-1 mod 2^bits, at most 64 bits */
    MW_FORM_ZERO = 5,     /* 0: a flag that is not used */
    MW_FORM_RANDOM = 6,   /* random, from 1 to m - 1, drawn for each operation */
    MW_FORM_TABLE = 7     /* residues of a number that m determines: mw_core.tables */
};

/* Words of a field, one for each channel: a number mod m, or m itself, times a scale modulo the channel. */
struct mw_table {
    const uint32_t *number; /* NULL for m itself */
    uint32_t number_words;
    uint32_t inverse; /* 1: -1/m instead, modulo channels that are primes */
    uint32_t count;   /* of channels, odd and below 2^31 */
    const uint32_t *channels;
    const uint32_t *scales;
};

struct mw_field {
    uint8_t form;
    uint8_t operand; /* which one, or which table, from 0 */
    uint8_t number;  /* bit of the register KEEP */
    uint8_t of;      /* of POWER and NEGINV: 0 for m, or which of the numbers that are kept with it, from 1 */
    int32_t power;
    uint32_t offset; /* of the window, in bytes */
    uint32_t bits;
};

struct mw_result {
    uint32_t excess; /* the field is below 2^excess * m */
    uint32_t offset;
    uint32_t bits;
};

struct mw_device;

struct mw_core {
    const char *name;
    uint32_t function;
    uint32_t digest[4];
    uint32_t modulus_bits;
    const uint32_t *modulus; /* fixed, (modulus_bits + 31) / 32 words; NULL when it is an operand */
    int32_t power;           /* numbers modulo m are stored times 2^power: products, of two fields and one result */
    uint32_t closed;         /* 1: a stored result is a stored operand as it is; 0: it has to be below m */
    /* Not 0: products are modulo c * m, c = -1/m mod 2^lift, and their results are made small by another product. The field
     * 2^-lift mod m is the first that is kept then, and modulus_bits are whole words. */
    uint32_t lift;
    uint32_t operands; /* that a call passes with each operation */
    const struct mw_field *fields;
    uint32_t fresh;       /* the first of the fields, new with each operation; the others belong to the modulus */
    uint32_t field_count; /* 0: a representation that this driver does not know */
    const struct mw_table *tables;
    const struct mw_result *results;
    uint32_t result_count;
    uint32_t infinity; /* offset of the flag of mw_ecpm, 0 when there is none */
    /* z = x * y mod m, or 1 / x mod m, of mw_device.words each, by registers in the address space; NULL where there is none */
    int (*by_registers)(struct mw_device *device, uint32_t *z, const uint32_t *x, const uint32_t *y, const uint32_t *m);
};

struct mw_device {
    struct mw_bus bus;
    const struct mw_core *core;
    uint32_t polls;        /* most reads of STATUS for one operation, without bus.wait */
    uint32_t milliseconds; /* longest time of one operation, with bus.wait */
    uint32_t error;        /* the core's error code of the last operation */
    uint32_t cycles;       /* of the core in the last operation, conversions included */
    /* Random bytes that nobody can guess, for cores with blinding: 0, or not 0 when there are none. mw_open sets NULL;
     * modwright_linux.h has one for Linux. */
    int (*random)(void *context, uint8_t *bytes, size_t count);
    void *random_context;
    /* What follows is the driver's own. */
    uint32_t swap;       /* the bus swaps the bytes of words */
    uint32_t ready;      /* `kept` and the fields that the device keeps belong to one modulus */
    uint32_t direct;     /* and core->by_registers may be used */
    size_t words;        /* of a modulus; 0 where the core cannot be used */
    size_t square_words; /* of the second row, where it converts operands */
    uint32_t kept[MW_KEPT][MW_WORDS];
};

/* Looks whether the device is the core, and resets it; sets default time-outs, and no source of random numbers. */
int mw_open(struct mw_device *device, const struct mw_bus *bus, const struct mw_core *core);

/* Clears operands and results in the device, but for what belongs to the modulus. Every operation ends with it. */
int mw_wipe(struct mw_device *device);

/* Clears all that is kept of a modulus, here and in the device: after the last operation with a modulus that is secret,
 * such as a prime factor in RSA's CRT, and before other software uses the device. */
int mw_forget(struct mw_device *device);

/* Resets the core, and ends an operation in flight. */
int mw_reset(struct mw_device *device);

/*
 * z = x * y mod m; z = x + y mod m; z = 1 / a mod m; z = base^exponent mod m. Operands are below m. All have `words` words, the exponent
 * has `exponent_words`. m is NULL, or the modulus itself, for a core with a fixed modulus.
 */
int mw_modmul(struct mw_device *device, uint32_t *z, const uint32_t *x, const uint32_t *y, const uint32_t *m,
              size_t words);
int mw_modadd(struct mw_device *device, uint32_t *z, const uint32_t *x, const uint32_t *y, const uint32_t *m,
              size_t words);
int mw_modinv(struct mw_device *device, uint32_t *z, const uint32_t *a, const uint32_t *m, size_t words);
int mw_modexp(struct mw_device *device, uint32_t *z, const uint32_t *base, const uint32_t *exponent,
              size_t exponent_words, const uint32_t *m, size_t words);

/* y^2 = x^3 + a * x + b modulo the prime p; `order` is that of the points. p, a and b have `words` words. */
struct mw_curve {
    const uint32_t *p, *a, *b, *order;
    size_t words, order_words;
};

/* (rx, ry) = [k](x, y), with k modulo the order; returns MW_INFINITY for the point at infinity. All coordinates have
 * curve->words words. The core checks that (x, y) is on the curve. */
int mw_ecpm(struct mw_device *device, uint32_t *rx, uint32_t *ry, const uint32_t *k, size_t k_words, const uint32_t *x,
            const uint32_t *y, const struct mw_curve *curve);

/* y^2 = x^3 + A * x^2 + x modulo the prime p; a24 is (A + 2) / 4. Of a scalar, the `clamp` lowest bits are cleared and the
 * highest that p has is set: 3 for X25519, 2 for X448; 0 for scalars as they are. p and a24 have `words` words. */
struct mw_montgomery {
    const uint32_t *p, *a24;
    size_t words;
    uint32_t clamp;
};

/* z = x-coordinate of [k]P with u = x-coordinate of P, as X25519 and X448 of RFC 7748 (their bytes are little-endian). All
 * have curve->words words. MW_E_CORE for the result 0, when P is of small order. */
int mw_xmul(struct mw_device *device, uint32_t *z, const uint32_t *k, const uint32_t *u,
            const struct mw_montgomery *curve);

/* a * x^2 + y^2 = 1 + d * x^2 * y^2 modulo the prime p, a a square and d none. p, a and d have `words` words. */
struct mw_edwards {
    const uint32_t *p, *a, *d;
    size_t words;
};

/* (rx, ry) = [k](x, y), with as many bits of k as p has; (0, 1) is neutral. All coordinates have curve->words words. The core
 * checks that (x, y) is on the curve. */
int mw_edmul(struct mw_device *device, uint32_t *rx, uint32_t *ry, const uint32_t *k, size_t k_words, const uint32_t *x,
             const uint32_t *y, const struct mw_edwards *curve);

/* (rx, ry) = [k]B with the base point B of the curve that the core has built in, and as many bits of k as the prime has. Both
 * coordinates have `words` words. MW_E_FUNCTION for a core that takes points; mw_edmul gives it for one that does not. */
int mw_edmul_base(struct mw_device *device, uint32_t *rx, uint32_t *ry, const uint32_t *k, size_t k_words, size_t words);

/* The points of y^2 = x^3 + a * x + b modulo the prime p, of prime order, and the base point (gx, gy); all of
 * `words` words, enough for p and for the order. */
struct mw_group {
    const uint32_t *p, *a, *b, *order, *gx, *gy;
    size_t words;
};

/*
 * ECDSA (FIPS 186-5); all numbers have group->words words. The public key (qx, qy) of d; the signature (r, s) of the hash e by
 * d with the nonce k; and whether (r, s) is one: MW_OK, or MW_E_SIGNATURE. d and k are from 1 to order - 1.
 * A core with `check` verifies a signature before it leaves, and needs the public key; for others it is NULL.
 * MW_E_CORE where r or s would be 0: sign again with another nonce. A nonce is used once: who has two signatures with one
 * has the key.
 */
int mw_ecdsa_key(struct mw_device *device, uint32_t *qx, uint32_t *qy, const uint32_t *d, const struct mw_group *group);
int mw_ecdsa_sign(struct mw_device *device, uint32_t *r, uint32_t *s, const uint32_t *d, const uint32_t *e,
                  const uint32_t *k, const uint32_t *qx, const uint32_t *qy, const struct mw_group *group);
int mw_ecdsa_verify(struct mw_device *device, const uint32_t *e, const uint32_t *qx, const uint32_t *qy,
                    const uint32_t *r, const uint32_t *s, const struct mw_group *group);

/* e = the number that a hash of `count` bytes is: its leftmost bits, as many as the order has. */
int mw_ecdsa_number(uint32_t *e, const uint8_t *hash, size_t count, const struct mw_group *group);

/* HMAC over the hash of the signature: `size` bytes at `mac`, at most 64, of `count` bytes of data under a key of `size`
 * bytes, which may be where `mac` is. Returns 0, or not 0 when it failed. */
struct mw_hmac {
    void *context;
    size_t size;
    int (*mac)(void *context, uint8_t *mac, const uint8_t *key, const uint8_t *data, size_t count);
};

/* k = the nonce of RFC 6979 for the key d and a hash of `count` bytes; `skip` nonces are passed over, one for each that
 * mw_ecdsa_sign refused. MW_E_RANDOM when the HMAC fails. */
int mw_ecdsa_nonce(uint32_t *k, const uint32_t *d, const uint8_t *hash, size_t count, uint32_t skip,
                   const struct mw_group *group, const struct mw_hmac *hmac);

/* The points of a * x^2 + y^2 = 1 + d * x^2 * y^2 modulo the prime p, a a square and d none, and a base point of odd order;
 * all of `words` words. */
struct mw_edwards_group {
    const uint32_t *p, *a, *d, *order, *gx, *gy;
    size_t words;
};

/*
 * EdDSA (RFC 8032); all numbers have group->words words, as many bits as p has. (x, y) = [k]B + [h](px, py), or [k]B where h
 * is NULL; the second half s of the signature of the commitment [k]B, whose y is ry and whose x has the lowest bit rx, under
 * the secret scalar `key`; and whether (rx, ry, s) is a signature: MW_OK, or MW_E_SIGNATURE. (px, py) is the public key, h the
 * hash of commitment, public key and message. A signature is verified before it leaves: MW_E_CORE where it is none.
 */
int mw_eddsa_combine(struct mw_device *device, uint32_t *x, uint32_t *y, const uint32_t *k, const uint32_t *h,
                     const uint32_t *px, const uint32_t *py, const struct mw_edwards_group *group);
int mw_eddsa_sign(struct mw_device *device, uint32_t *s, const uint32_t *key, const uint32_t *k, const uint32_t *h,
                  const uint32_t *px, const uint32_t *py, const uint32_t *ry, uint32_t rx,
                  const struct mw_edwards_group *group);
int mw_eddsa_verify(struct mw_device *device, const uint32_t *h, const uint32_t *px, const uint32_t *py,
                    const uint32_t *s, const uint32_t *ry, uint32_t rx, const struct mw_edwards_group *group);

/* h = a hash of `count` bytes, the least significant byte first as in RFC 8032, modulo the order. */
int mw_eddsa_number(uint32_t *h, const uint8_t *hash, size_t count, const struct mw_edwards_group *group);

/* Words from big-endian bytes and back. MW_E_RANGE when a number does not fit; else what is left is filled with 0. */
int mw_from_bytes(uint32_t *words, size_t word_count, const uint8_t *bytes, size_t byte_count);
int mw_to_bytes(uint8_t *bytes, size_t byte_count, const uint32_t *words, size_t word_count);

/* The meaning of a return value, in English. */
const char *mw_message(int status);

#endif /* MODWRIGHT_H */
