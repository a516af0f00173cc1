import Glibc

/// Open directories on the way to what was opened last, so that what lies deep is not looked up from the root each
/// time.
///
/// A tree is walked, and its files are read, in an order in which one path shares most of its directories with the one
/// before.
package struct DirectoryChain: ~Copyable {
    /// How many directories are kept open. Of more, every second one is closed: those that are left lie at distances
    /// that make the way from the nearest one short, however deep the tree.
    package static let limit = 32
    /// Bytes of a way that is shortened by directories that are kept open in between.
    private static let longWay = 256

    private struct Link {
        /// How much of `current` is the path of this directory.
        var length: Int
        var descriptor: Int32
    }

    private let root: [UInt8]
    /// The path whose beginnings the links are.
    private var current: [UInt8] = []
    private var links: [Link] = []
    /// Bytes of the paths that the system was given to follow: what opening costs.
    package private(set) var followedBytes = 0

    /// - Parameter root: What all other paths are relative to.
    package init(root: [UInt8]) {
        self.root = root
    }

    deinit {
        for link in links { close(link.descriptor) }
    }

    /// How many directories are open.
    package var count: Int { links.count }

    /// Opens something.
    ///
    /// - Parameter path: Relative to the root; empty for the root itself.
    /// - Returns: A descriptor, which the caller closes, or -1 with `errno`.
    package mutating func open(_ path: [UInt8], _ flags: Int32) -> Int32 {
        follow(path)
        shorten(path)
        return lookUp(path, flags)
    }

    /// Opens something from the nearest directory above.
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

    /// Where the part of `path` begins that is looked up from the nearest directory above.
    private func start(of path: [UInt8]) -> Int {
        guard let link = links.last, link.length > 0 else { return 0 }
        return min(link.length + 1, path.count)
    }

    /// Keeps directories on a long way down, each half as far from its end as the one before: whoever then comes back
    /// up, step by step, finds one near by each time.
    private mutating func shorten(_ path: [UInt8]) {
        while true {
            let rest = path[start(of: path)...]
            guard rest.count > Self.longWay,
                let middle = rest.prefix(rest.count / 2).lastIndex(of: FilePath.slash)
            else { return }
            let descriptor = lookUp(Array(path[..<middle]), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)
            // One that must not be read is left out, and with it those below.
            guard descriptor >= 0 else { return }
            keep(descriptor, middle)
        }
    }

    /// Opens a directory to read it, and keeps it in the chain.
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
            // One that must not be read is not kept, and its files are looked up from further above.
            keep(open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK), directory.count)
        }
        return open(path, flags)
    }

    /// Leaves the directories that `path` is not in.
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
        // What cannot be kept open, for instance for lack of descriptors, is looked up again.
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
