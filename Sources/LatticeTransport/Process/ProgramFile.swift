import CLatticeSystem

/// A file that is held open as such, without the right to read it, so that a program can be started from it whatever
/// becomes of its name. Only Linux has this.
package struct HeldFile: Sendable {
    private let descriptor: OwnedDescriptor

    /// nil if it cannot be opened, or not like this.
    package init?(_ path: String) {
        let descriptor = lattice_hold_file(path)
        guard descriptor >= 0 else { return nil }
        self.descriptor = OwnedDescriptor(descriptor)
    }

    /// The file that this process was started from, whatever its name stands for by now.
    package static var ownProgram: HeldFile? { HeldFile("/proc/self/exe") }

    /// A path by which others of this user find the file as long as it is held: the program that is started from it
    /// needs no descriptor of its own for that, nor does the interpreter of a script. nil where /proc is not mounted.
    package var path: String? { path(asProcess: lattice_number_in_proc()) }

    /// The same where /proc knows this process by the number; a negative one: there is no /proc.
    func path(asProcess number: Int32) -> String? {
        number < 0 ? nil : "/proc/\(number)/fd/\(descriptor.number)"
    }

    /// Whether the path still names this file.
    package func isNamed(_ path: String) -> Bool {
        var (named, held) = (stat(), stat())
        return stat(path, &named) == 0 && fstat(descriptor.number, &held) == 0
            && FileIdentity(named) == FileIdentity(held)
    }
}

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
