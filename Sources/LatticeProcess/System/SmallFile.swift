import CLatticeSystem
import LatticeTransport

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Reads and writes files that the system generates, such as those below `/proc` and `/sys`.
package enum SmallFile {
    /// The maximum size. All such files are smaller.
    private static let maximumBytes = 1 << 20

    /// Reads a file as text; nil if there is no such file or it cannot be read.
    package static func read(_ path: String) -> String? {
        let file = OwnedDescriptor(System.call { open(path, O_RDONLY | O_CLOEXEC) }.result)
        guard file.number >= 0 else { return nil }
        defer { file.close() }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while bytes.count < maximumBytes {
            let count = System.call { Int32(clamping: CLatticeSystem.read(file.number, &piece, piece.count)) }.result
            guard count > 0 else { return count == 0 ? String(decoding: bytes, as: UTF8.self) : nil }
            bytes += piece.prefix(Int(count))
        }
        return nil
    }

    /// Writes to an existing file in one piece.
    ///
    /// - Returns: 0, or the system's error number.
    static func write(_ text: String, to path: String) -> Int32 {
        let (file, error) = openToWrite(path)
        defer { file.close() }
        guard error == 0 else { return error }
        return System.call { Int32(clamping: CLatticeSystem.write(file.number, text, text.utf8.count)) }.errno
    }

    /// Opens an existing file for writing.
    ///
    /// - Returns: The file, and the system's error number, which is 0 if the file is open.
    static func openToWrite(_ path: String) -> (file: OwnedDescriptor, error: Int32) {
        let (number, error) = System.call { open(path, O_WRONLY | O_CLOEXEC) }
        return (OwnedDescriptor(number), error)
    }

    /// Returns the names of the folders in a folder.
    static func folders(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = name(of: entry)
            if entry.pointee.d_type == UInt8(DT_DIR), name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Returns the names of everything in a folder, or nil if it cannot be read.
    ///
    /// - Parameter maximum: The maximum number of names. Further ones are left out.
    package static func names(in path: String, atMost maximum: Int) -> [String]? {
        guard let folder = opendir(path) else { return nil }
        defer { closedir(folder) }
        var names: [String] = []
        while names.count < maximum, let entry = readdir(folder) {
            let name = name(of: entry)
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Returns the name of an entry of a folder.
    static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
        // Read by its address, because the entry may be shorter than its type says, and the memory after it may not
        // belong to this process.
        guard let place = MemoryLayout<dirent>.offset(of: \.d_name) else { return "" }
        return String(cString: UnsafeRawPointer(entry).advanced(by: place).assumingMemoryBound(to: CChar.self))
    }
}
