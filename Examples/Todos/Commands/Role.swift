/// What a process is for the others that share its list.
enum Role: Equatable, Sendable {
    /// It was there first: it owns the worker, and the list goes when it quits.
    case coordinator
    case client
}
