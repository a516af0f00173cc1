import ExampleSupport
import Lattice

/// The words of all text files below a path, kept in a worker.
enum IndexFeature: HostedFeature {
    /// What is indexed.
    struct Configuration: Codable, Equatable, Sendable {
        /// A folder or a file, absolute.
        var root: [UInt8] = []
    }

    static let identifier = "index"
    static let defaultConfiguration = Configuration()

    static func initialDomainState(in context: HostContext) -> IndexState { IndexState() }

    static func interactor(in context: HostContext) -> IndexInteractor {
        IndexInteractor(root: context.configuration(of: Self.self).root)
    }

    static func reducer() -> IndexReducer { IndexReducer() }

    /// Each worker reads what the one before has not read.
    static func started(_ context: HostContext, in state: IndexState) -> IndexAction? { .begin }

    typealias Action = IndexAction
    typealias DomainState = IndexState
    typealias ViewState = IndexViewState
}

/// What can happen to an index.
enum IndexAction: Codable, Sendable {
    // From people.
    /// Reads the files that have changed.
    case read

    // At the start of a worker.
    case begin

    // From effects.
    case found(files: Int, gone: [PathKey])
    case indexed(IndexedFiles)
    case finished
}
