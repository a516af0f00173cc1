import CSHA256

/// A SHA-256 computation that takes its message in pieces.
///
/// The example contains its own implementation in C. A package for this one function would make the first build of all
/// examples a minute longer.
struct SHA256 {
    private var state = SHA256StateMake()

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        SHA256StateUpdate(&state, start, bytes.count)
    }

    /// Returns the checksum of all bytes. Do not use the value afterwards.
    mutating func finish() -> Checksum {
        Checksum(
            [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
                guard let start = digest.baseAddress else { return }
                SHA256StateFinish(&state, start)
                count = 32
            }
        )
    }
}
