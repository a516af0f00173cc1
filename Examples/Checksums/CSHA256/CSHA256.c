#include "CSHA256.h"

#include <string.h>

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, section 4.2.2).
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

#define ROTATED(x, count) (((x) >> (count)) | ((x) << (32 - (count))))

/// Adds one block of 64 bytes (section 6.2.2).
static void compress(uint32_t words[8], const uint8_t *block) {
    uint32_t schedule[64];
    for (int i = 0; i < 16; i++) {
        schedule[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16
            | (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    }
    for (int i = 16; i < 64; i++) {
        uint32_t low = schedule[i - 15], high = schedule[i - 2];
        schedule[i] = schedule[i - 16] + schedule[i - 7]
            + (ROTATED(low, 7) ^ ROTATED(low, 18) ^ low >> 3) + (ROTATED(high, 17) ^ ROTATED(high, 19) ^ high >> 10);
    }
    uint32_t a = words[0], b = words[1], c = words[2], d = words[3];
    uint32_t e = words[4], f = words[5], g = words[6], h = words[7];
    for (int i = 0; i < 64; i++) {
        uint32_t first = h + (ROTATED(e, 6) ^ ROTATED(e, 11) ^ ROTATED(e, 25)) + ((e & f) ^ (~e & g))
            + constants[i] + schedule[i];
        uint32_t second = (ROTATED(a, 2) ^ ROTATED(a, 13) ^ ROTATED(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + first;
        d = c;
        c = b;
        b = a;
        a = first + second;
    }
    words[0] += a;
    words[1] += b;
    words[2] += c;
    words[3] += d;
    words[4] += e;
    words[5] += f;
    words[6] += g;
    words[7] += h;
}

struct SHA256State SHA256StateMake(void) {
    return (struct SHA256State){
        .words = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
    };
}

void SHA256StateUpdate(struct SHA256State *state, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    size_t held = state->count % 64;
    state->count += count;
    if (held > 0) {
        size_t taken = count < 64 - held ? count : 64 - held;
        memcpy(state->block + held, next, taken);
        next += taken;
        count -= taken;
        if (held + taken < 64) return;
        compress(state->words, state->block);
    }
    for (; count >= 64; next += 64, count -= 64) compress(state->words, next);
    if (count > 0) memcpy(state->block, next, count);
}

void SHA256StateFinish(struct SHA256State *state, uint8_t *digest) {
    uint64_t bits = state->count * 8;
    // One bit, zeros up to 8 bytes before the end of a block, and the length in bits (section 5.1.1).
    uint8_t padding[72] = {0x80};
    size_t zeros = (119 - state->count % 64) % 64;
    for (int i = 0; i < 8; i++) padding[1 + zeros + i] = (uint8_t)(bits >> (56 - 8 * i));
    SHA256StateUpdate(state, padding, 1 + zeros + 8);
    for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 4; j++) digest[4 * i + j] = (uint8_t)(state->words[i] >> (24 - 8 * j));
    }
}
