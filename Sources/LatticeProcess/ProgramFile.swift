import CLatticeSystem
import LatticeTransport

/// A file that is held open without the right to read it, so that a program can be started from it even after its name
/// was changed. Only Linux has this.
package struct HeldFile: Sendable {
    private let descriptor: OwnedDescriptor

    /// Opens a file. It is nil if the file cannot be opened, or not in this way.
    package init?(_ path: String) {
        let descriptor = lattice_hold_file(path)
        guard descriptor >= 0 else { return nil }
        self.descriptor = OwnedDescriptor(descriptor)
    }

    /// The file from which this process was started, even if its name stands for another file by now.
    package static var ownProgram: HeldFile? { HeldFile("/proc/self/exe") }

    /// A path by which other processes of this user find the file as long as it is held. A program that is started from
    /// it needs no descriptor of its own for that, and neither does the interpreter of a script. It is nil if /proc is
    /// not mounted.
    package var path: String? { path(asProcess: lattice_number_in_proc()) }

    /// Returns the path for a process that /proc knows by this number, or nil if the number is negative, which
    /// stands for a missing /proc.
    func path(asProcess number: Int32) -> String? {
        number < 0 ? nil : "/proc/\(number)/fd/\(descriptor.number)"
    }

    /// Returns whether the path still names this file.
    package func isNamed(_ path: String) -> Bool {
        var (named, held) = (stat(), stat())
        return stat(path, &named) == 0 && fstat(descriptor.number, &held) == 0
            && named.st_dev == held.st_dev && named.st_ino == held.st_ino
    }
}

/// The build of the program that this process runs.
package enum ProgramBuild {
    /// The maximum number of bytes of a build.
    package static let longest = 64

    /// The build identifier that the linker has written into the executable: the GNU build ID, or the UUID of Mach-O.
    /// It is nil if the linker has written none.
    package static let own: [UInt8]? = {
        let bytes = [UInt8](unsafeUninitializedCapacity: longest) { buffer, count in
            count = lattice_build(buffer.baseAddress, buffer.count)
        }
        return bytes.isEmpty ? nil : bytes
    }()
}
