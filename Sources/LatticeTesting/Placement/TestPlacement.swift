/// The place where a test runs a hosted feature. One test body can run in each placement:
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

    /// The feature runs in this process on the main actor, as in a `ViewModel`.
    public static let local = TestPlacement(place: .local)

    /// The feature runs in a worker's host on its own thread, and exchanges the messages of a coordinator and a worker.
    ///
    /// Actions and states are encoded and decoded, `Patchable` states are sent as patches, effects start when the state
    /// that requested them has been sent, and each event ends with a message. Only the process and the socket are
    /// missing.
    ///
    /// A patch that does not lead to the new state fails the test. This also applies to patches of view states, which
    /// clients would receive.
    public static let memoryWorker = TestPlacement(place: .memoryWorker)

    /// All placements.
    public static let allCases = [local, memoryWorker]

    /// The name of the placement: "local" or "memory worker".
    public var description: String { place.rawValue }

    var isLocal: Bool { place == .local }
}
