/// Where a test runs a hosted feature. One test body can run in each:
///
/// ```swift
/// @Test(arguments: TestPlacement.allCases)
/// func uploading(placement: TestPlacement) async throws {
///     try await withTestViewModel(of: Upload.self, placement: placement) { uploads in
///         await uploads.send(.start(file: "a.txt")) { $0.running = ["a.txt"] }
///         await uploads.receive(.ended(file: "a.txt")) { $0 = .init(done: ["a.txt"]) }
///         await uploads.finish()
///     }
/// }
/// ```
public struct TestPlacement: Sendable, Hashable, CaseIterable, CustomStringConvertible {
    private enum Place: String {
        case local
        case memoryWorker = "memory worker"
    }

    private let place: Place

    /// In this process, on the main actor, as a `ViewModel` has it.
    public static let local = TestPlacement(place: .local)

    /// In a worker's host on a thread of its own, behind the messages that a coordinator and a worker exchange: actions
    /// and states are coded on their way, `Patchable` states travel as changes, effects start when the state that asked
    /// for them has left the worker, and each event ends with a message. Only the process and the socket are left out.
    ///
    /// A patch that does not lead to the new state fails the test, also one of a view state, which clients would get.
    public static let memoryWorker = TestPlacement(place: .memoryWorker)

    public static let allCases = [local, memoryWorker]

    public var description: String { place.rawValue }

    var isLocal: Bool { place == .local }
}
