/// An action of a job.
enum ChecksumsAction: Codable, Sendable {
    // Actions of the user.
    /// Hashes the files of a request.
    case hash(HashRequest)
    /// Cancels the job.
    case cancel

    // The action at the start of a worker, if the previous one was not done.
    case resume

    // Actions of effects.
    /// The walk has found these files so far.
    case found(ChecksumsState.Found)
    /// A hasher has read this many bytes of a lane's batch.
    case read(lane: Int, bytes: UInt64, process: Int32, seconds: Double)
    /// A lane has received the checksums of a batch. The seconds count from the start of this worker.
    case hashed(lane: Int, HashedBatch, seconds: Double)
    /// These directories cannot be read, or these files end their hashers.
    case notHashed(lane: Int, [Failure])
    /// All files have been hashed.
    case finished
    /// The job cannot continue.
    case gaveUp(reason: String)
}
