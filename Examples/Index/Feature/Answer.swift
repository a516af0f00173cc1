import ExampleSupport
import Lattice

/// The files that contain a word, as the answer to a question.
struct Answer: Codable, Equatable, Sendable {
    let word: String
    /// The number of occurrences in each file, by path.
    let counts: StateDictionary<PathKey, Int>

    /// Searches all files for a word.
    init(to word: String, in files: IndexedFiles) {
        self.word = word
        let bytes = Array(word.utf8)
        var counts: StateDictionary<PathKey, Int> = [:]
        for (path, file) in files {
            if let found = file.words?.count(of: bytes), found > 0 { counts[path] = found }
        }
        self.counts = counts
    }
}

/// Each search is a question of one terminal. Other terminals do not see the answer.
extension IndexFeature: AnsweringFeature {
    static func answer(_ word: String, from state: IndexState, in context: HostContext) -> Answer {
        Answer(to: word, in: state.files)
    }
}
