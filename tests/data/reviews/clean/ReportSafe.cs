using System.IO;

public static class Report
{
    public static void Write(string path, string text)
    {
        using var writer = new StreamWriter(path);
        writer.Write(text);
    }
}
