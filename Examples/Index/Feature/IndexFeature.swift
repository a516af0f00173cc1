import ExampleSupport
import Lattice

/// The feature that keeps the words of all text files below a path in a worker.
enum IndexFeature: HostedFeature {
    /// The files that are indexed.
    struct Configuration: Codable, Equatable, Sendable {
        /// The absolute path of a folder or a file.
        var root: [UInt8] = []
    }

    static let identifier = "index"
    static let defaultConfiguration = Configuration()

    static func initialDomainState(in context: HostContext) -> IndexState { IndexState() }

    static func interactor(in context: HostContext) -> IndexInteractor {
        IndexInteractor(root: context.configuration(of: Self.self).root)
    }

    static func reducer() -> IndexReducer { IndexReducer() }

    /// Each worker reads the files that the previous one has not read.
    static func started(_ context: HostContext, in state: IndexState) -> IndexAction? { .begin }

    typealias Action = IndexAction
    typealias DomainState = IndexState
    typealias ViewState = IndexViewState
}

/// An action of an index.
enum IndexAction: Codable, Sendable {
    // Actions of the user.
    /// Reads the files that have changed.
    case read

    // The action at the start of a worker.
    case begin

    // Actions of effects.
    /// The walk has found this many files, and the files in `gone` do not exist any more.
    case found(files: Int, gone: [PathKey])
    /// These files have been read.
    case indexed(IndexedFiles)
    /// All files have been read.
    case finished
}
