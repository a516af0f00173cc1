/// Whether other jobs may run at the worker of a job while it runs.
enum JobCompany: Sendable, Equatable {
    /// The job shares its worker, if workers run several jobs at a time.
    case shared
    /// The job has its worker to itself.
    case alone
}
