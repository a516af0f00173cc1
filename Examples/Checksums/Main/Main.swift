import ChecksumsProgram

/// Everything else is a library, which tests can import.
@main enum Main {
    static func main() async {
        await Checksums.main()
    }
}
