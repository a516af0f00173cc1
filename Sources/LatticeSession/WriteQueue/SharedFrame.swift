/// A whole frame that goes out to many: each queue keeps a reference instead of a copy.
package final class SharedFrame: @unchecked Sendable {
    // Unchecked: the bytes are written here, before anybody else has the object, and never again.

    /// Valid as long as the object.
    package let bytes: UnsafeRawBufferPointer

    package init(_ frame: some Collection<UInt8>) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: frame.count, alignment: 1)
        memory.copyBytes(from: frame)
        bytes = UnsafeRawBufferPointer(memory)
    }

    deinit {
        bytes.deallocate()
    }

    package var count: Int { bytes.count }
}
