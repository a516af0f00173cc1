/// What can happen to a job.
enum ChecksumsAction: Codable, Sendable {
    // From people.
    case hash(HashRequest)
    case cancel

    // At the start of a worker, if the one before was not done.
    case goOn

    // From effects.
    /// What the walk has found so far.
    case found(ChecksumsState.Found)
    /// A hasher has read so many bytes of the batch of a lane.
    case read(lane: Int, bytes: UInt64, process: Int32, seconds: Double)
    /// A lane has the checksums of a batch, so many seconds after this worker began.
    case hashed(lane: Int, HashedBatch, seconds: Double)
    /// Directories that cannot be read, and files that hashers do not survive.
    case notHashed(lane: Int, [Failure])
    case finished
    case gaveUp(reason: String)
}
