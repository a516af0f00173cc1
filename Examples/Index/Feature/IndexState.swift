import ExampleSupport
import Lattice

/// The words of a tree, as one worker passes them to the next.
@Patchable struct IndexState: Codable, Equatable, Sendable {
    /// The maximum number of bytes of words. Files that would exceed it are left out.
    static let capacity = 40 << 20

    /// The files by their paths, relative to the root.
    private(set) var files: IndexedFiles = [:]
    /// The number of files that the last walk found.
    var found = 0
    var reading = Reading.never
    /// The bytes of the words of all files.
    private(set) var wordBytes = 0
    /// The number of files that did not fit.
    var leftOut = 0

    /// The progress of reading.
    enum Reading: String, Codable, Equatable, Sendable {
        case never
        case running
        /// Files are being read, and a further reading was requested. Files that were read before may have changed.
        case runningAndAsked
        case done
    }

    // MARK: Files

    /// Adds files, or replaces older versions of them.
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

/// The indexed files by their paths.
typealias IndexedFiles = StateDictionary<PathKey, IndexedFile>

/// The indexed words of a file. They are sent as a whole.
struct IndexedFile: Codable, Equatable, Sendable {
    let stamp: FileStamp
    /// The words, or nil if the file is no text or cannot be read.
    let words: PackedWords?

    var byteCount: Int { words?.bytes.count ?? 0 }
}
