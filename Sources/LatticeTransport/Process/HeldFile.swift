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

    /// A path by which others of this user find the file as long as it is held: the program that is started from it needs
    /// no descriptor of its own for that, nor does the interpreter of a script.
    package var path: String { "/proc/\(System.processID)/fd/\(descriptor.number)" }

    /// Whether the path still names this file.
    package func isNamed(_ path: String) -> Bool {
        lattice_names_file(path, descriptor.number) == 1
    }
}
