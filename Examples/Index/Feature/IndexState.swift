import ExampleSupport
import Lattice

/// The words of a tree, as they are handed from worker to worker.
@Patchable struct IndexState: Codable, Equatable, Sendable {
    /// Bytes of words that an index takes; files that would make it larger are not in it.
    static let capacity = 40 << 20

    /// By path, relative to the root.
    private(set) var files: IndexedFiles = [:]
    /// Files that the last walk found.
    var found = 0
    var reading = Reading.never
    /// Bytes of the words of all files.
    private(set) var wordBytes = 0
    /// Files that did not fit.
    var leftOut = 0

    /// How far the index is.
    enum Reading: String, Codable, Equatable, Sendable {
        case never
        case running
        /// Running, and somebody asked meanwhile: what was read already may have changed.
        case runningAndAsked
        case done
    }

    // MARK: Files

    /// Adds files, or puts them in the place of what they were.
    mutating func add(_ read: IndexedFiles) {
        for (path, file) in read {
            remove(path)
            guard wordBytes + file.byteCount <= Self.capacity else {
                leftOut += 1
                continue
            }
            files[path] = file
            wordBytes += file.byteCount
        }
    }

    mutating func remove(_ gone: [PathKey]) {
        for path in gone { remove(path) }
    }

    private mutating func remove(_ path: PathKey) {
        guard let file = files.removeValue(forKey: path) else { return }
        wordBytes -= file.byteCount
    }
}

/// What the index has of files, by path.
typealias IndexedFiles = StateDictionary<PathKey, IndexedFile>

/// What the index has of a file. It is sent as a whole.
struct IndexedFile: Codable, Equatable, Sendable {
    let stamp: FileStamp
    /// nil if it is no text, or cannot be read.
    let words: PackedWords?

    var byteCount: Int { words?.bytes.count ?? 0 }
}
