import Glibc

/// The open directories above the path that was opened last. They avoid looking up deep paths from the root each time.
///
/// When a tree is walked or its files are read, each path shares most of its directories with the previous one.
package struct DirectoryChain: ~Copyable {
    /// The maximum number of open directories. When it is reached, every second one is closed. The remaining ones keep
    /// the way from the nearest open directory short, whatever the depth of the tree.
    package static let limit = 32
    /// The length in bytes above which a way is shortened by opening directories in between.
    private static let longWay = 256

    private struct Link {
        /// The number of bytes of `current` that are the path of this directory.
        var length: Int
        var descriptor: Int32
    }

    private let root: [UInt8]
    /// The path of which the links are prefixes.
    private var current: [UInt8] = []
    private var links: [Link] = []
    /// The number of path bytes that the system has looked up. They are the cost of opening.
    package private(set) var followedBytes = 0

    /// Creates a chain without open directories.
    ///
    /// - Parameter root: The directory to which all other paths are relative.
    package init(root: [UInt8]) {
        self.root = root
    }

    deinit {
        for link in links { close(link.descriptor) }
    }

    /// The number of open directories.
    package var count: Int { links.count }

    /// Opens a file or directory.
    ///
    /// - Parameters:
    ///   - path: The path relative to the root. It is empty for the root itself.
    ///   - flags: The flags of `open(2)`.
    /// - Returns: A descriptor that the caller closes, or -1 with `errno`.
    package mutating func open(_ path: [UInt8], _ flags: Int32) -> Int32 {
        follow(path)
        shorten(path)
        return lookUp(path, flags)
    }

    /// Opens a file or directory from the nearest open directory above it.
    private mutating func lookUp(_ path: [UInt8], _ flags: Int32) -> Int32 {
        guard let link = links.last else {
            followedBytes += root.count + path.count
            return FilePath.open(root, path, flags)
        }
        let rest = path[start(of: path)...]
        followedBytes += rest.count
        return rest.isEmpty
            ? openat(link.descriptor, ".", flags)
            : FilePath.open(at: link.descriptor, rest, flags)
    }

    /// Returns the start of the part of `path` that is looked up from the nearest open directory.
    private func start(of path: [UInt8]) -> Int {
        guard let link = links.last, link.length > 0 else { return 0 }
        return min(link.length + 1, path.count)
    }

    /// Opens directories on a long way down. Each one halves the rest of the way, so that a walk that comes back up
    /// step by step always finds an open directory nearby.
    private mutating func shorten(_ path: [UInt8]) {
        while true {
            let rest = path[start(of: path)...]
            guard rest.count > Self.longWay,
                let middle = rest.prefix(rest.count / 2).lastIndex(of: FilePath.slash)
            else { return }
            let descriptor = lookUp(Array(path[..<middle]), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)
            // A directory that cannot be opened is left out, together with those below it.
            guard descriptor >= 0 else { return }
            keep(descriptor, middle)
        }
    }

    /// Opens a directory for reading, and keeps it in the chain.
    package mutating func openDirectory(_ path: [UInt8]) -> Int32 {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return descriptor }
        keep(fcntl(descriptor, F_DUPFD_CLOEXEC, 0), path.count)
        return descriptor
    }

    /// Opens a file, and keeps its directory in the chain.
    package mutating func openFile(_ path: [UInt8], _ flags: Int32) -> Int32 {
        guard !path.isEmpty else { return FilePath.open(root, path, flags) }
        let directory = Array(path[..<(path.lastIndex(of: FilePath.slash) ?? 0)])
        follow(directory)
        if links.last?.length != directory.count {
            // A directory that cannot be opened is not kept. Its files are looked up from further above.
            keep(open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK), directory.count)
        }
        return open(path, flags)
    }

    /// Closes the directories that do not contain `path`.
    private mutating func follow(_ path: [UInt8]) {
        let shared = FilePath.sharedLength(current, path)
        while let link = links.last {
            let isAbove =
                link.length == 0 || link.length == path.count
                || link.length < path.count && path[link.length] == FilePath.slash
            if link.length <= shared, isAbove { break }
            close(link.descriptor)
            links.removeLast()
        }
        current = path
    }

    private mutating func keep(_ descriptor: Int32, _ length: Int) {
        // A directory that cannot be kept open, for example because of a lack of descriptors, is looked up again later.
        guard descriptor >= 0 else { return }
        if links.last?.length == length {
            close(descriptor)
            return
        }
        if links.count >= Self.limit {
            for index in stride(from: links.count - 1, to: 0, by: -2) {
                close(links[index].descriptor)
                links.remove(at: index)
            }
        }
        links.append(Link(length: length, descriptor: descriptor))
    }
}
