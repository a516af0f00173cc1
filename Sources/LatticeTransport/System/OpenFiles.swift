import CLatticeSystem

/// How many files this process may have open, and how many it has.
package enum OpenFiles {
    /// Raises the limit to `wanted`, or to as many as this process may ask for; never lowers it.
    ///
    /// - Returns: The limit from now on; nil if the system does not say.
    package static func raiseLimit(to wanted: Int) -> Int? {
        let limit = lattice_raise_open_files(UInt32(clamping: wanted))
        return limit < 0 ? nil : Int(limit)
    }

    /// Opens so many for a moment.
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

    /// How many are open among those with numbers below `limit`.
    ///
    /// The system lists them; where it does not, or no file can be opened to read the list, each number is tried, which
    /// takes milliseconds for each ten thousand.
    ///
    /// - Complexity: O(*n*), where *n* is the number of open files, or `limit` where each number is tried.
    package static func count(below limit: Int) -> Int {
        listed.map { numbers in numbers.count { $0 < limit } } ?? tried(below: limit)
    }

    static func tried(below limit: Int) -> Int {
        (0..<Int32(clamping: limit)).count { lattice_is_open($0) == 1 }
    }

    /// Their numbers, without that of the list itself.
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
