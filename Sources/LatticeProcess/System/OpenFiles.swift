import CLatticeSystem
package import LatticeTransport

/// The number of files that this process may have open, and the number that it has open.
package enum OpenFiles {
    /// Raises the limit to `wanted`, or to the maximum that this process may request. It never lowers the limit.
    ///
    /// - Returns: The limit from now on; nil if the system does not say.
    package static func raiseLimit(to wanted: Int) -> Int? {
        let limit = lattice_raise_open_files(UInt32(clamping: wanted))
        return limit < 0 ? nil : Int(limit)
    }

    /// Opens that many files for a moment, to check that this is possible.
    ///
    /// - Throws: `.system` if there is no room for them.
    package static func checkRoom(for count: Int) throws(TransportError) {
        var opened: [OwnedDescriptor] = []
        while opened.count < count {
            let (number, error) = System.call { dup(STDERR_FILENO) }
            guard number >= 0 else { throw .system("open \(count) files", error) }
            opened.append(OwnedDescriptor(number))
        }
    }

    /// Returns the number of open descriptors below `limit`.
    ///
    /// The system lists them. If it does not, or if no file can be opened to read the list, each number is tried, which
    /// takes milliseconds for ten thousand numbers.
    ///
    /// - Complexity: O(*n*), where *n* is the number of open files, or `limit` if each number is tried.
    package static func count(below limit: Int) -> Int {
        listed.map { numbers in numbers.count { $0 < limit } } ?? tried(below: limit)
    }

    /// Returns the number of open descriptors below `limit` by trying each number.
    static func tried(below limit: Int) -> Int {
        (0..<Int32(clamping: limit)).count { lattice_is_open($0) == 1 }
    }

    /// The numbers of the open descriptors, without that of the list itself; nil if the system does not list them.
    static var listed: [Int]? {
        guard let list = opendir("/dev/fd") else { return nil }
        defer { closedir(list) }
        let own = Int(dirfd(list))
        var numbers: [Int] = []
        while let entry = readdir(list) {
            if let number = Int(SmallFile.name(of: entry)), number != own { numbers.append(number) }
        }
        return numbers.isEmpty ? nil : numbers
    }
}
