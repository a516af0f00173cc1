import LatticeProcess

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The program that workers are started from. Its file is held open from the start.
///
/// On Linux it therefore does not matter whether the file is deleted, renamed or replaced later. For the running
/// program it does not even matter whether that happened before the coordinator started.
struct WorkerExecutable: Sendable {
    /// The path of the program at the time when the coordinator started.
    let path: String
    /// Whether the program is the running program.
    let isOwn: Bool
    /// The open file, or nil where a program cannot be started from an open file.
    private let file: HeldFile?

    /// Opens the program.
    ///
    /// - Parameter path: The path of the program, or nil for the running program.
    /// - Throws: `CoordinatorError` with the code `executable` when the program cannot be run.
    init(_ path: String?) throws(CoordinatorError) {
        isOwn = path == nil
        if path == nil, let file = HeldFile.ownProgram {
            var path = try Self.own
            // The system appends this suffix if the path names another file by now, or no file.
            let mark = " (deleted)"
            if !file.isNamed(path), path.hasSuffix(mark) { path.removeLast(mark.count) }
            (self.path, self.file) = (path, file)
            return
        }
        let path = if let path { path } else { try Self.own }
        (self.path, file) = (path, HeldFile(path))
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw .executable(path, "there is no such file")
        }
        guard status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 else {
            throw .executable(path, "it is not an executable file")
        }
    }

    /// The path to start the program from now.
    ///
    /// This is the original path as long as it names the file that is held open, so that people and tools see the name
    /// they know. Otherwise it is a path of the open file itself. Without /proc the open file has no path, and the
    /// original path is used in any case.
    var start: String {
        guard let file, !file.isNamed(path), let held = file.path else { return path }
        return held
    }

    /// The path of the running program.
    private static var own: String {
        get throws(CoordinatorError) {
            #if canImport(Darwin)
            var size: UInt32 = 0
            _NSGetExecutablePath(nil, &size)
            return String(unsafeUninitializedCapacity: Int(size)) { buffer in
                buffer.withMemoryRebound(to: CChar.self) { name in
                    _ = _NSGetExecutablePath(name.baseAddress, &size)
                }
                let name = buffer.baseAddress.map { UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) }
                return strnlen(name, Int(size))
            }
            #else
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink("/proc/self/exe", &buffer, buffer.count)
            guard count > 0 else { throw .noOwnExecutable(String(cString: strerror(errno))) }
            return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
            #endif
        }
    }
}
