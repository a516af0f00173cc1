#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The program that workers are started from.
enum WorkerExecutable {
    /// - Throws: `CoordinatorError` with the code `executable` when it cannot be run.
    static func resolve(_ path: String?) throws(CoordinatorError) -> String {
        let path = path ?? own
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw .executable(path, "there is no such file")
        }
        guard status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 else {
            throw .executable(path, "it is not an executable file")
        }
        return path
    }

    /// The path of the running program.
    private static var own: String {
        #if canImport(Darwin)
        var size: UInt32 = 0
        _NSGetExecutablePath(nil, &size)
        return String(unsafeUninitializedCapacity: Int(size)) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { name in
                _ = _NSGetExecutablePath(name.baseAddress, &size)
            }
            return strnlen(
                buffer.baseAddress.map { UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) },
                Int(size)
            )
        }
        #else
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.withMemoryRebound(to: CChar.self) { path in
                path.baseAddress.map { readlink("/proc/self/exe", $0, path.count) } ?? 0
            }
        }
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
        #endif
    }
}
