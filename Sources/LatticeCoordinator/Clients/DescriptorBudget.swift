/// The division of the file descriptors that a coordinator may have open. Its workers come first, then the program
/// itself, and clients get the rest.
struct DescriptorBudget: Equatable, Sendable {
    /// The maximum number of clients. Each costs a descriptor, and this is far more than one user runs.
    static let maximumClients = 1024
    /// The maximum number of connections in addition to the clients that are refused with a reason. Further ones are
    /// closed without a reason.
    static let maximumRefusals = 64
    /// The maximum number of tools at a time. A person uses one or two, and a descriptor is reserved for each, so that
    /// an operator can look into a coordinator that has its maximum of clients.
    static let maximumTools = 8
    /// The reason that a tool gets if there are too many.
    static let refusalOfTools = "The coordinator has \(maximumTools) tools, its maximum. End one of them and try again."
    /// The number of descriptors that are reserved for a worker: two ends of a socket pair, four of pipes and the
    /// record of its turns to start the next worker, and two to search for processes that the last worker left.
    static let forWorker = 9
    /// The number of descriptors that are reserved for the program itself: for files that it opens, its log, and a
    /// connection that is being accepted.
    static let forProgram = 16
    /// Returns the limit that the coordinator requests from the system when it starts: twice the need of all clients,
    /// plus the descriptors of the workers. It is not higher, because some programs cannot handle very large
    /// descriptors.
    static func wantedLimit(workers: Int) -> Int { 4096 + forWorker * workers }

    /// The number of clients that can connect.
    var clients: Int
    /// The number of further connections that are refused with a reason.
    let refusals: Int
    /// A Boolean value that indicates whether a higher limit of open files would allow more clients.
    let areFilesScarce: Bool

    /// The reason that a client gets if there are too many.
    var refusalReason: String {
        let taken = "The coordinator has \(clients) client\(clients == 1 ? "" : "s"), its maximum. End one of them"
        guard areFilesScarce else { return taken + " and try again." }
        return taken + ", or allow the coordinator more open files. It reserves some of them for its workers."
    }

    /// - Parameters:
    ///   - limit: The number of files that may be open.
    ///   - open: The number of files that are open before the first worker and the first client.
    ///   - workers: The number of workers.
    init(limit: Int, open: Int, workers: Int = 1) {
        let rest = max(0, limit - open - Self.forWorker * workers - Self.forProgram - Self.maximumTools)
        refusals = min(Self.maximumRefusals, max(1, rest / 8))
        clients = min(Self.maximumClients, max(0, rest - refusals))
        areFilesScarce = clients < Self.maximumClients
    }
}
