/// How the files that a coordinator may have open are shared out: first its workers, then the program itself, and
/// clients get the rest.
struct DescriptorBudget: Equatable, Sendable {
    /// Far more programs than one person runs; each costs a descriptor.
    static let maximumClients = 1024
    /// Connections on top of the clients that are told why they are turned away; more than these are just closed.
    static let maximumRefusals = 64
    /// What is kept for a worker: two ends of a socket pair, four of pipes and the record of its turns to start the
    /// next one, and two to look for what the last one left behind.
    static let forWorker = 9
    /// What is kept for the program itself: files that it opens, its log, a connection that is just being accepted.
    static let forProgram = 16
    /// The limit that is asked of the system at the start: twice what all clients need, and what is kept for workers;
    /// no more, since some programs cannot deal with numbers that are very large.
    static func wantedLimit(workers: Int) -> Int { 4096 + forWorker * workers }

    /// How many clients are taken in.
    var clients: Int
    /// How many more are told that they are too many.
    let refusals: Int
    /// Whether there would be more clients if more files could be open.
    let areFilesScarce: Bool

    /// What one too many is told.
    var refusalReason: String {
        let taken = "\(clients) clients are connected, and no more are taken; end one of them and try again"
        guard areFilesScarce else { return taken }
        return taken + ", or allow the coordinator more open files, of which it keeps some for its workers"
    }

    /// - Parameters:
    ///   - limit: How many files may be open.
    ///   - open: How many are open before the first worker and the first client.
    ///   - workers: How many workers there are, each with its group.
    init(limit: Int, open: Int, workers: Int = 1) {
        let rest = max(0, limit - open - Self.forWorker * workers - Self.forProgram)
        refusals = min(Self.maximumRefusals, max(1, rest / 8))
        clients = min(Self.maximumClients, max(0, rest - refusals))
        areFilesScarce = clients < Self.maximumClients
    }
}
