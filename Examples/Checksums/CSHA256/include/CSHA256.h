#ifndef CSHA256_H
#define CSHA256_H

#include <stddef.h>
#include <stdint.h>

/// A SHA-256 computation (FIPS 180-4) that takes its message in pieces.
///
/// It is written in C because a debug build of the example must hash quickly too: the same loop in Swift without
/// optimisation is about a hundred times slower.
struct SHA256State {
    uint32_t words[8];
    /// The bytes that do not fill a block yet.
    uint8_t block[64];
    /// The number of bytes added so far. The standard allows up to 2^61 - 1.
    uint64_t count;
};

/// The state before the first byte.
struct SHA256State SHA256StateMake(void);

/// Adds bytes to the message.
void SHA256StateUpdate(struct SHA256State *state, const void *bytes, size_t count);

/// Ends the message and writes its 32-byte digest. Do not use the state afterwards.
void SHA256StateFinish(struct SHA256State *state, uint8_t *digest);

#endif
