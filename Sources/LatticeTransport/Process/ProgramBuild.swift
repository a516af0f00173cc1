import CLatticeSystem

/// Which build of its program a process runs.
package enum ProgramBuild {
    /// Bytes of it that are kept.
    package static let longest = 64

    /// What the linker has written into this program's executable to tell it from all others: the GNU build ID, or the
    /// UUID of Mach-O. nil if it has written nothing.
    package static let own: [UInt8]? = {
        let bytes = [UInt8](unsafeUninitializedCapacity: longest) { buffer, count in
            count = lattice_build(buffer.baseAddress, buffer.count)
        }
        return bytes.isEmpty ? nil : bytes
    }()
}
