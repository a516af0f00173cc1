import LatticeCore
import LatticeTesting

/// Books that are ordered and come later.
enum LibraryFeature: HostedFeature {
    enum Action: Codable, Sendable, Equatable {
        case order(String)
        case arrived(String)
        /// Adds it twice, once by an action of its own.
        case copy(String)
        case orderAll([String])
        case forget
        /// Waits until it is cancelled.
        case wait
        case fail
        /// Is rejected if the library has the book. The value of the rejection is the number of books.
        case donate(String)
        /// Changes the state and is rejected, which an interactor should not do.
        case changeAndReject
    }

    struct DomainState: Codable, Sendable, Equatable {
        var ordered = 0
        var books: [String] = []
    }

    struct ViewState: Codable, Sendable, Equatable {
        var text: String
    }

    struct NotFound: Error {}

    static let identifier = "library"
    static func initialDomainState(in context: HostContext) -> DomainState { DomainState() }

    static func interactor(in context: HostContext) -> Interact<DomainState, Action> {
        Interact { state, action in
            switch action {
            case .order(let book):
                state.ordered += 1
                return .perform { .arrived(book) }
            case .arrived(let book):
                state.ordered = max(0, state.ordered - 1)
                state.books.append(book)
                return .none
            case .copy(let book):
                state.books.append(book)
                return .action(.arrived(book))
            case .orderAll(let books):
                return .append(books.map { book in .perform { .order(book) } })
            case .forget:
                state = DomainState()
                return .none
            case .wait:
                return .perform {
                    for await _ in AsyncStream<Never>.makeStream().stream {}
                    return nil
                }
            case .fail:
                return .perform { throw CancellationError() }
            case .donate(let book):
                guard !state.books.contains(book) else {
                    return .reject("The library has this book.", value: state.books.count)
                }
                state.books.append(book)
                return .none
            case .changeAndReject:
                state.books.append("changed")
                return .reject("too late")
            }
        }
    }

    static func reducer() -> BuildViewState<DomainState, ViewState> {
        BuildViewState(initial: { _ in ViewState(text: "") }) { state, view in
            view.text = state.books.joined(separator: ", ")
        }
    }
}
