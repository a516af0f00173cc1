/// What values may ask their decoder or encoder for besides what is coded, as `userInfo`.
package enum CodingContext {
    /// Set around what is coded, on the thread that codes it.
    @TaskLocal package static var userInfo: [CodingUserInfoKey: any Sendable] = [:]
}
